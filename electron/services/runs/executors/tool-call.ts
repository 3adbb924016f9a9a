import { readProgramOutput } from '../../../../shared/action/read-output.ts';
import type { Step } from '../../../../shared/chain/chain.ts';
import { AppError, errorHint, errorMessage } from '../../../../shared/errors/app-error.ts';
import type { TryResult } from '../../../../shared/run/decide.ts';
import { classifyFailure } from '../../../../shared/run/failure-policy.ts';
import { wellFormed } from '../../processes/well-formed.ts';
import { builtInTools } from '../../tools/built-in-tools.ts';
import type { ToolResult } from '../../tools/tool.ts';
import type { Tools } from '../../tools/tool-registry.ts';
import type { Executor } from './executor.ts';

/** Fields of `with` that are about the step; a tool that has an argument of such a name gets it by `tool_args`. */
const ownFields = ['continue_on_error', 'model'];
const longestMessage = 2000;

/**
 * Calls a tool: a built-in one or one of an MCP server. Its arguments are `with` and, over it, `tool_args`. Failures:
 * TOOL_NOT_ALLOWLISTED, those of `Tools.call`, and for a tool that says itself that it failed its own `ERROR:<CODE>`
 * or TOOL_FAILED.
 */
export function createToolCallExecutor(tools: Pick<Tools, 'call'>): Executor {
  return async (context) => {
    const { step } = context;
    const name = allowedTool(step);
    const args = toolArguments(step);
    context.write('engine', `${name} ${shortened(JSON.stringify(args))}\n`);
    try {
      const result = await tools.call(name, args, {
        signal: context.signal,
        timeoutMs: context.ownTimeoutMs,
        onText: (text) => context.write('stderr', `${text}\n`),
        hide: (values) => context.hide(values),
      });
      return result.isError ? failedResult(result) : succeededResult(result, context.write);
    } catch (thrown) {
      if (!(thrown instanceof AppError)) throw thrown;
      return failedResultOf(thrown, name);
    }
  };
}

/** The name under which the tool is called; the list of the step may say whose tool a bare name is. */
function allowedTool({ tool, tool_allowlist: allowed }: Step): string {
  if (tool === undefined || tool.trim() === '') throw new AppError('TOOL_NOT_FOUND', { name: '', near: '' });
  const name = tool.trim();
  if (allowed === undefined || allowed.includes(name)) return name;
  const whole = builtInTools.has(name) || name.includes('/') ? [] : allowed.filter((one) => one.endsWith(`/${name}`));
  const [first, ...others] = new Set(whole);
  if (first === undefined) throw new AppError('TOOL_NOT_ALLOWLISTED', { tool: name });
  if (others.length > 0) throw new AppError('TOOL_AMBIGUOUS', { name, names: [first, ...others].join(', ') });
  return first;
}

function toolArguments({ with: fields = {}, tool_args: args = {} }: Step): Record<string, unknown> {
  const others = Object.entries(fields).filter(([key]) => !ownFields.includes(key));
  return Object.fromEntries([...others, ...Object.entries(args)]);
}

function succeededResult(result: ToolResult, write: (stream: 'stdout', text: string) => void): TryResult {
  const text = wellFormed(result.text);
  if (text !== '') write('stdout', text.endsWith('\n') ? text : `${text}\n`);
  const json = result.json === undefined ? {} : { json: result.json };
  return { kind: 'succeeded', output: { text, ...json, truncated: false }, work: { by: result.by } };
}

/** The tool was called and says that it failed. */
function failedResult({ by, text, json }: ToolResult): TryResult {
  const said = readProgramOutput({ stdout: json === undefined ? '' : JSON.stringify(json), stderr: text, exitCode: 1 });
  const failure = new AppError('TOOL_FAILED', { tool: by, detail: wellFormed(text.slice(0, longestMessage)) });
  return {
    kind: 'failed',
    error: {
      class: classifyFailure({ reportedCode: said.error?.code ?? null, text }),
      code: said.error?.code ?? failure.code,
      message: said.error?.message ?? errorMessage(failure.toWire(), 'en'),
      hint: said.error?.hint ?? errorHint(failure, 'en'),
      exit_code: null,
    },
    work: { by },
  };
}

function failedResultOf(error: AppError, name: string): TryResult {
  const { code, params } = error;
  // Only these carry words of somebody else about what happened; our own sentences say nothing of the class.
  const isForeign = code === 'TOOL_FAILED' || code === 'TOOL_SERVER_FAILED';
  const wasCalled = isForeign || code === 'TOOL_TIMEOUT' || code === 'TOOL_REFUSED';
  const by = typeof params['tool'] === 'string' && params['tool'] !== '' ? params['tool'] : name;
  return {
    kind: 'failed',
    error: {
      class: classifyFailure({
        timedOut: code === 'TOOL_TIMEOUT',
        reportedCode: code,
        text: isForeign ? String(params['detail'] ?? '') : '',
      }),
      code,
      message: errorMessage(error.toWire(), 'en'),
      hint: errorHint(error, 'en'),
      exit_code: null,
    },
    ...(wasCalled ? { work: { by } } : {}),
  };
}

function shortened(text: string): string {
  return text.length <= longestMessage ? text : wellFormed(`${text.slice(0, longestMessage)}...`);
}
