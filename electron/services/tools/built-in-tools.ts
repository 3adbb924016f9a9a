import { z } from 'zod';
import { AppError } from '../../../shared/errors/app-error.ts';
import { httpGet, largestPage, type NetEdge } from './http-get.ts';
import { jsonOf } from './mcp-answer.ts';
import { saveMemory, searchMemory } from './memory.ts';
import type { ToolInfo } from './tool.ts';

/** What the built-in tools work with. */
export interface BuiltInContext {
  readonly memoryFolder: string;
  readonly net: NetEdge;
  /** How this program names itself to web servers. */
  readonly agent: string;
  readonly now: () => number;
  readonly list: () => Promise<readonly ToolInfo[]>;
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
}

interface BuiltInTool {
  readonly info: ToolInfo;
  run(
    args: Readonly<Record<string, unknown>>,
    context: BuiltInContext,
  ): Promise<{ readonly text: string; readonly json?: unknown }>;
}

/** Milliseconds that a built-in tool may take when the step sets no limit. */
export const builtInLimitMs = 30_000;
const query = z.string().trim().min(1).max(1000);

/** The tools that need no server, by name. */
export const builtInTools: ReadonlyMap<string, BuiltInTool> = new Map(
  [
    define(
      'emit_text',
      'Gives back the text that it is given.',
      z.strictObject({ text: z.string() }),
      async (args) => ({
        text: args.text,
      }),
    ),
    define('list_tools', 'Lists the tools that steps can use.', z.strictObject({}), async (_args, context) => {
      const tools = await context.list();
      const text = tools.map((tool) => `${tool.name}: ${tool.description.split('\n')[0]}`).join('\n');
      return { text, json: { tools } };
    }),
    define(
      'memory_save',
      "Adds a text to the memory's log of the day.",
      z.strictObject({ text: z.string().trim().min(1).max(100_000), title: z.string().max(200).optional() }),
      async (args, context) => {
        const saved = await saveMemory(context.memoryFolder, args, context.now());
        return { text: saved.file, json: saved };
      },
    ),
    define(
      'memory_search',
      'Searches MEMORY.md and the newest logs for the lines that hold the most words of a query.',
      z.strictObject({ query, limit: z.int().min(1).max(200).default(20) }),
      async (args, context) => {
        const found = await searchMemory(context.memoryFolder, args.query, args.limit);
        for (const name of found.skipped) context.onText(`${name} is no readable text and was left out.`);
        const text = found.lines.map((line) => `${line.file}:${line.line}: ${line.text}`).join('\n');
        return { text, json: found };
      },
    ),
    define(
      'http_get',
      'Reads a public web page as text.',
      z.strictObject({
        url: z.string().min(1).max(8000),
        max_bytes: z.int().min(1).max(largestPage).default(largestPage),
      }),
      async (args, { net, agent, signal, onText }) => {
        const page = await httpGet(args.url, { maxBytes: args.max_bytes, net, agent, signal });
        onText(`HTTP ${page.status} ${page.url}`);
        if (page.truncated) onText(`Only the first ${args.max_bytes} bytes were read.`);
        const json = page.truncated ? undefined : jsonOf(page.text);
        return { text: page.text, ...(json === undefined ? {} : { json }) };
      },
    ),
  ].map((tool) => [tool.info.name, tool]),
);

/** `args` are checked by the schema before the tool sees them. Errors: INVALID_TOOL_ARGS. */
function define<Schema extends z.ZodType>(
  name: string,
  description: string,
  schema: Schema,
  run: (args: z.infer<Schema>, context: BuiltInContext) => Promise<{ text: string; json?: unknown }>,
): BuiltInTool {
  const input_schema = z.toJSONSchema(schema, { io: 'input' });
  return {
    info: { name, server: null, tool: name, description, input_schema },
    async run(args, context) {
      const parsed = schema.safeParse(args);
      if (parsed.success) return await run(parsed.data, context);
      const issue = parsed.error.issues[0]!;
      const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
      throw new AppError('INVALID_TOOL_ARGS', { tool: name, field: path.join('.'), detail: issue.message });
    },
  };
}
