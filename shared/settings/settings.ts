import { z } from 'zod';

/**
 * Every setting with its schema, default and place on the settings page. The first three are the seed's, in its words;
 * the rest are ours. The file is `<data home>/config.json`, shared with skill-sub's own scripts; unknown keys are kept.
 */

/** How an agent is called: a command line; the prompt goes to its standard input or replaces `{prompt}` in an argument. */
export const AgentProfile = z.object({
  name: z.string().min(1).max(60),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  prompt: z.enum(['stdin', 'argument']).default('stdin'),
  timeout_seconds: z.number().positive().default(600),
});
export type AgentProfile = z.infer<typeof AgentProfile>;

/** Name of an environment variable; a value that is put in its place by mistake hardly ever has this form. */
const VariableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

/** Where the tools of `server/tool` come from: a program that speaks MCP on its standard streams, or an address. */
export const McpServer = z
  .object({
    /** Without a slash: it stands before one. */
    name: z
      .string()
      .min(1)
      .max(60)
      .regex(/^[^/\s\p{Cc}](?:[^/\p{Cc}]*[^/\s\p{Cc}])?$/u),
    transport: z.enum(['stdio', 'http']).default('stdio'),
    command: z.string().default(''),
    args: z.array(z.string()).default([]),
    /** Variable of the server to the variable of ours whose value it gets. Values never stand in the file. */
    env: z.record(VariableName, VariableName).default({}),
    url: z.string().default(''),
    /** Header of each request to the variable of ours that holds its value. */
    headers: z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/), VariableName).default({}),
    enabled: z.boolean().default(true),
    /** For its start, and for each call of a step that has no time limit of its own. */
    timeout_seconds: z.number().positive().max(86_400).default(60),
  })
  .superRefine((server, context) => {
    if (server.transport === 'stdio' && server.command === '') {
      context.addIssue({ code: 'custom', path: ['command'], message: 'a program is needed' });
    }
    if (server.transport === 'http' && !isWebAddress(server.url)) {
      context.addIssue({ code: 'custom', path: ['url'], message: 'an http or https address is needed' });
    }
  });
export type McpServer = z.infer<typeof McpServer>;

export const modelProviders = ['openai-compatible', 'anthropic'] as const;

/** A model that steps can ask. Its key never stands here: only the name of the variable that holds it. */
export const ModelEndpoint = z
  .object({
    /** Without a slash: it stands before one. */
    name: z
      .string()
      .max(60)
      .regex(/^[^/\s\p{Cc}](?:[^/\p{Cc}]*[^/\s\p{Cc}])?$/u),
    provider: z.enum(modelProviders).default('openai-compatible'),
    /** What comes before `/chat/completions` or `/messages`; empty = Anthropic's own address. */
    base_url: z.string().max(2000).default(''),
    /** As the provider calls it. */
    model: z.string().min(1).max(200),
    /** Empty = the address asks for no key. */
    api_key_env: z.union([z.literal(''), VariableName.max(200)]).default(''),
    /** For each call of a step that has no time limit of its own. */
    timeout_seconds: z.number().positive().max(86_400).default(300),
    max_tokens: z.int().min(1).max(1_000_000).optional(),
    temperature: z.number().min(0).max(2).optional(),
  })
  .superRefine((endpoint, context) => {
    if (endpoint.base_url === '' ? endpoint.provider !== 'anthropic' : !isBaseAddress(endpoint.base_url)) {
      context.addIssue({ code: 'custom', path: ['base_url'], message: 'an http or https address is needed' });
    }
  });
export type ModelEndpoint = z.infer<typeof ModelEndpoint>;

export const settingGroups = ['chains', 'runs', 'skills', 'agents', 'window'] as const;
export type SettingGroup = (typeof settingGroups)[number];

interface SettingRow<S extends z.ZodType> {
  readonly schema: S;
  readonly default: z.infer<S>;
  readonly group: SettingGroup;
}

function setting<S extends z.ZodType>(group: SettingGroup, schema: S, value: z.infer<S>): SettingRow<S> {
  return { schema, default: value, group };
}

export const settingsTable = {
  use_memory_reference: setting('chains', z.boolean(), false),
  naming_mode: setting('chains', z.enum(['auto', 'manual']), 'manual'),
  default_max_retries: setting('chains', z.int().min(1).max(10), 3),
  max_parallel: setting('runs', z.int().min(1).max(32), 4),
  stop_grace_seconds: setting('runs', z.int().min(1).max(60), 5),
  sync_every_event: setting('runs', z.boolean(), false),
  keep_runs: setting('runs', z.int().min(10).max(10_000), 200),
  step_timeout_seconds: setting('runs', z.int().min(1).max(86_400), 3600),
  skill_folders: setting('skills', z.array(z.string().min(1)), []),
  python: setting('skills', z.string(), ''),
  default_agent: setting('agents', z.string(), 'claude'),
  agents: setting('agents', z.array(AgentProfile), []),
  models: setting('agents', z.array(ModelEndpoint), []),
  default_model: setting('agents', z.string(), ''),
  mcp_servers: setting('agents', z.array(McpServer), []),
  http_get_tool: setting('agents', z.boolean(), false),
  memory_folder: setting('agents', z.string(), ''),
  max_parallel_jobs: setting('runs', z.int().min(1).max(16), 2),
  language: setting('window', z.enum(['system', 'en', 'zh-CN']), 'system'),
  theme: setting('window', z.enum(['system', 'light', 'dark']), 'system'),
  scroll_mode: setting('window', z.enum(['pan', 'zoom']), 'pan'),
  autosave: setting('window', z.boolean(), false),
  single_key_shortcuts: setting('window', z.boolean(), true),
} as const;

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/?#]+/i.test(text);
}

/** Paths are added to it, and a name or password in it would be shown. */
export function isBaseAddress(text: string): boolean {
  return isWebAddress(text) && !/[\s?#]/.test(text) && !/^[^/]*\/\/[^/]*@/.test(text);
}

export type SettingKey = keyof typeof settingsTable;
export type Settings = { [K in SettingKey]: z.infer<(typeof settingsTable)[K]['schema']> };

export const settingKeys = Object.keys(settingsTable) as SettingKey[];

export function defaultSettings(): Settings {
  return Object.fromEntries(settingKeys.map((key) => [key, settingsTable[key].default])) as Settings;
}

/**
 * A value in the file that could not be used; the default stands in for it and the file keeps it. `found` is the value
 * as the file has it (JSON, cut short); absent when the whole file could not be read.
 */
export const SettingProblem = z.object({ key: z.string(), detail: z.string(), found: z.string().optional() });
export type SettingProblem = z.infer<typeof SettingProblem>;
