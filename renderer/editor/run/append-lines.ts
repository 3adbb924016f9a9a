const escapeCode = String.fromCharCode(27);
/** Colours and cursor moves of a terminal: they mean nothing here. */
const terminalCodes = new RegExp(`${escapeCode}\\[[0-9;?]*[ -/]*[@-~]|${escapeCode}[@-Z\\\\-_]`, 'g');

/**
 * Lines with a further piece of output behind them. The last line is unfinished until its end comes; what is written
 * after a carriage return replaces its line, as on a terminal.
 */
export function appendLines(lines: readonly string[], piece: string): string[] {
  const next = lines.length === 0 ? [''] : [...lines];
  const parts = piece.replace(terminalCodes, '').replaceAll('\r\n', '\n').split('\n');
  parts.forEach((part, index) => {
    const line = (index === 0 ? next.pop()! : '') + part;
    const back = line.lastIndexOf('\r', line.length - 2);
    next.push(back < 0 ? line : line.slice(back + 1));
  });
  return next;
}
