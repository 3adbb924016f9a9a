/** For bugs only: states what must hold here. Throws a plain Error, which no caller is meant to catch. */
export function invariant(condition: unknown, claim: string): asserts condition {
  if (!condition) throw new Error(`Bug: ${claim}`);
}

/** Makes the compiler prove that a union was handled whole. */
export function assertNever(value: never): never {
  throw new Error(`Bug: unhandled case ${JSON.stringify(value)}`);
}
