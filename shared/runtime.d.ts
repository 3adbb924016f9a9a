/**
 * The one global that pure code may name besides the language itself. Everything else that a process or a browser
 * offers (clock, ids, files, timers) is passed in.
 */
interface AbortSignal {
  readonly aborted: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: has to agree with the standard declaration in the whole-tree check.
  readonly reason: any;
  throwIfAborted(): void;
}
