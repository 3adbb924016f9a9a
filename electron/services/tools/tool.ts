/** A tool as a person or an agent sees it in a list. */
export interface ToolInfo {
  /** What a step writes: the bare name of a built-in tool, else `server/tool`. */
  readonly name: string;
  /** Null for a built-in tool. */
  readonly server: string | null;
  /** Its name without the server's. */
  readonly tool: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** What a call gave. */
export interface ToolResult {
  /** The tool that answered, by its whole name. */
  readonly by: string;
  readonly text: string;
  /** Its structured result, or its text where that is JSON; absent when there is none. */
  readonly json?: unknown;
  /** The tool itself says that it failed; `text` says why. */
  readonly isError: boolean;
}

export interface ToolCallOptions {
  /** Calls it off. */
  readonly signal: AbortSignal;
  /** Milliseconds for everything, the start of a server too; null = the tool's own limit. */
  readonly timeoutMs: number | null;
  /** What happens meanwhile, in whole lines: progress, what a server writes on its standard error. */
  readonly onText: (text: string) => void;
  /** Told the secret values that a server gets, before it can say them. */
  readonly hide?: ((values: readonly string[]) => void) | undefined;
}
