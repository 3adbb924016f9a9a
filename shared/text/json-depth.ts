/**
 * Offset of the bracket that opens one level more than `limit`, or -1. To be asked before any parser that calls itself:
 * a stack that runs out while the engine compiles an expression ends the whole process, and no `catch` sees it. A line
 * break ends a string, as parsers that go on after a fault have it.
 */
export function findTooDeep(text: string, limit: number): number {
  let depth = 0;
  let inText = false;
  for (let offset = 0; offset < text.length; offset += 1) {
    const unit = text.charCodeAt(offset);
    if (inText) {
      if (unit === 0x5c) offset += 1;
      else if (unit === 0x22 || unit === 0x0a || unit === 0x0d) inText = false;
    } else if (unit === 0x22) inText = true;
    else if (unit === 0x7b || unit === 0x5b) {
      depth += 1;
      if (depth > limit) return offset;
    } else if (depth > 0 && (unit === 0x7d || unit === 0x5d)) depth -= 1;
  }
  return -1;
}
