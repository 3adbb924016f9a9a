import { describe, expect, it } from 'vitest';
import type { Step } from '../../../../shared/chain/chain.ts';
import { parseChainFile } from '../../../../shared/chain/chain-file.ts';
import { AppError } from '../../../../shared/errors/app-error.ts';
import { defaultSettings } from '../../../../shared/settings/settings.ts';
import { testFolder } from '../../files/test-folder.ts';
import type { ToolCallOptions, ToolResult } from '../../tools/tool.ts';
import { stdioServer, toolHomes } from '../../tools/tool-test-home.ts';
import type { StepContext } from './executor.ts';
import { createToolCallExecutor } from './tool-call.ts';

const home = toolHomes(testFolder('tool-call'));

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: ToolCallOptions;
}

/** A step of the kind, its context, and what it wrote. */
function stepOf(fields: Partial<Step>, ownTimeoutMs: number | null = null) {
  const file = {
    name: 'chain',
    steps: [{ step_name: 'one', skill_name: 'x', action: '', kind: 'tool_call', ...fields }],
  };
  const { chain } = parseChainFile(JSON.stringify(file));
  const written: string[] = [];
  const hidden: string[] = [];
  const context: StepContext = {
    step: chain.steps[0]!,
    chain,
    try: 1,
    settings: defaultSettings(),
    upstream: [],
    stepFolder: '',
    workFolder: '',
    signal: new AbortController().signal,
    ownTimeoutMs,
    run: () => Promise.reject(new Error('no program is run')),
    write: (stream, text) => written.push(`${stream}: ${text}`),
    hide: (values) => hidden.push(...values),
  };
  return { context, written, hidden };
}

/** Tools that only note how they are called. */
function notedTools(result: Partial<ToolResult> | AppError = {}) {
  const calls: Call[] = [];
  const execute = createToolCallExecutor({
    call: async (name, args, options) => {
      calls.push({ name, args, options });
      if (result instanceof AppError) throw result;
      return { by: name, text: '', isError: false, ...result };
    },
  });
  return { calls, execute };
}

describe('a tool_call step', () => {
  it('calls a tool of a real server, with typed arguments, and says who answered', async () => {
    const { tools } = home({ mcp_servers: [stdioServer('test')] });
    const { context, written } = stepOf({ tool: 'add', with: { a: 1, b: 1 }, tool_args: { b: 41 } });
    expect(await createToolCallExecutor(tools)(context)).toEqual({
      kind: 'succeeded',
      output: { text: '1 + 41', json: { sum: 42 }, truncated: false },
      work: { by: 'test/add' },
    });
    expect(written).toEqual(['engine: add {"a":1,"b":41}\n', 'stdout: 1 + 41\n']);
  });

  it('keeps the fields that are about the step from the tool, unless tool_args asks for them', async () => {
    const { calls, execute } = notedTools();
    const fields = { continue_on_error: true, model: 'fast', text: 'x', n: null, list: [1] };
    await execute(stepOf({ tool: 't', with: fields }, 1500).context);
    await execute(stepOf({ tool: 't', with: fields, tool_args: { model: 'large', text: 'y' } }).context);
    expect(calls.map(({ args }) => args)).toEqual([
      { text: 'x', n: null, list: [1] },
      { text: 'y', n: null, list: [1], model: 'large' },
    ]);
    expect(calls.map(({ options }) => options.timeoutMs)).toEqual([1500, null]);
  });

  it.each([
    ['echo', ['echo', 'x'], 'echo'],
    ['one/echo', ['one/echo'], 'one/echo'],
    ['echo', ['one/echo', 'one/echo', 'two/other'], 'one/echo'],
  ])('%s is called when %j allows it', async (tool, tool_allowlist, name) => {
    const { calls, execute } = notedTools();
    await execute(stepOf({ tool, tool_allowlist }).context);
    expect(calls.map((call) => call.name)).toEqual([name]);
  });

  it.each([
    ['echo', [], 'TOOL_NOT_ALLOWLISTED'],
    ['echo', ['ech', 'one/echoes', 'Echo'], 'TOOL_NOT_ALLOWLISTED'],
    ['one/echo', ['echo', 'two/echo', 'x/one/echo'], 'TOOL_NOT_ALLOWLISTED'],
    ['emit_text', ['one/emit_text'], 'TOOL_NOT_ALLOWLISTED'],
    ['echo', ['one/echo', 'two/echo'], 'TOOL_AMBIGUOUS'],
    [' ', undefined, 'TOOL_NOT_FOUND'],
  ])('%s is not called when %j is allowed', async (tool, tool_allowlist, code) => {
    const { calls, execute } = notedTools();
    const { context } = stepOf({ tool, ...(tool_allowlist === undefined ? {} : { tool_allowlist }) });
    await expect(execute(context)).rejects.toMatchObject({ code });
    expect(calls).toEqual([]);
  });

  it.each([
    ['socket hang up: connection refused', 'network_error', 'TOOL_FAILED'],
    ['HTTP 401', 'auth_error', 'TOOL_FAILED'],
    ['no such row', 'other', 'TOOL_FAILED'],
    ['ERROR:file_locked: busy\nHINT: wait', 'file_locked', 'file_locked'],
  ])('whose tool says "%s" failed with the class %s', async (text, errorClass, code) => {
    const { execute } = notedTools({ by: 'one/t', text, isError: true });
    const result = await execute(stepOf({ tool: 't' }).context);
    expect(result).toMatchObject({ kind: 'failed', error: { class: errorClass, code }, work: { by: 'one/t' } });
  });

  it.each([
    [new AppError('TOOL_TIMEOUT', { tool: 't', seconds: 3 }), 'timeout', true],
    [new AppError('TOOL_SERVER_FAILED', { server: 's', detail: 'connect ECONNREFUSED' }), 'network_error', true],
    [new AppError('INVALID_TOOL_ARGS', { tool: 't', field: 'token', detail: 'auth' }), 'other', false],
    [new AppError('TOOL_NOT_FOUND', { name: 't', near: '' }), 'other', false],
    [new AppError('FILE_LOCKED', { file: 'x' }), 'file_locked', false],
  ])('fails with the error and the class that belong to it', async (error, errorClass, wasCalled) => {
    const result = await notedTools(error).execute(stepOf({ tool: 's/t' }).context);
    expect(result).toMatchObject({ kind: 'failed', error: { class: errorClass, code: error.code } });
    expect('work' in result).toBe(wasCalled);
  });

  it('writes what happens meanwhile into the log of the try and hides what the server gets', async () => {
    const { tools } = home(
      { mcp_servers: [stdioServer('test', [], { env: { KEY: 'MY_KEY' } })] },
      { environment: { ...process.env, MY_KEY: 'sk-very-secret' } },
    );
    const { context, written, hidden } = stepOf({ tool: 'test/say', with: { text: 'working' } });
    await createToolCallExecutor(tools)(context);
    expect(written).toEqual(['engine: test/say {"text":"working"}\n', 'stderr: working\n', 'stdout: said\n']);
    expect(hidden).toEqual(['sk-very-secret']);
  });
});
