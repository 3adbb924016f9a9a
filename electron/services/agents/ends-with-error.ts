/**
 * Whether an answer ends with `ERROR:<CODE>: message`, a `HINT:` after it or not. An agent is asked to say so, and most
 * can not choose the exit status of the program that they run in.
 */
export function endsWithError(text: string): boolean {
  const lines = text
    .trimEnd()
    .split(/\r?\n/)
    .slice(-3)
    .filter((line) => line.trim() !== '');
  const last = lines.at(-1)?.startsWith('HINT:') ? lines.at(-2) : lines.at(-1);
  return last !== undefined && /^ERROR:\s*[A-Za-z][\w.-]*\s*:/.test(last);
}
