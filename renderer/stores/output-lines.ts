const escapeCode = String.fromCharCode(27);
/** Colours and cursor moves of a terminal: they mean nothing here. */
const terminalCodes = new RegExp(`${escapeCode}\\[[0-9;?]*[ -/]*[@-~]|${escapeCode}[@-Z\\\\-_]`, 'g');

/**
 * Lines with a further piece of output behind them. The last line is unfinished until its end comes; what is written
 * after a carriage return replaces its line, as on a terminal.
 */
export function appendOutput(lines: readonly string[], piece: string): readonly string[] {
  if (piece === '') return lines;
  const parts = piece.replace(terminalCodes, '').replaceAll('\r\n', '\n').split('\n');
  const next = lines.length === 0 ? [''] : [...lines];
  for (const [index, part] of parts.entries()) {
    const line = index === 0 ? (next.pop() ?? '') + part : part;
    const back = line.lastIndexOf('\r', line.length - 2);
    next.push(back < 0 ? line : line.slice(back + 1));
  }
  return next;
}

/** Lines with an earlier piece of output in front of them; where the two meet is one line. */
export function prependOutput(piece: string, lines: readonly string[]): readonly string[] {
  const before = appendOutput([], piece);
  const [first, ...rest] = lines;
  if (before.length === 0) return lines;
  return first === undefined ? before : [...appendOutput(before, first), ...rest];
}

/** The lines without the empty one behind a final line end. */
export function shownLines(lines: readonly string[]): readonly string[] {
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
