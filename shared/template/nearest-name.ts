/**
 * The candidate that a mistyped name may have meant: at most a third of it (and at least one sign) differs, or it is the
 * beginning of the candidate. "" = none.
 */
export function nearestName(name: string, candidates: readonly string[]): string {
  if (name.length > 32) return '';
  const wanted = name.toLowerCase().replaceAll(/[-_]/g, '');
  let nearest = '';
  let smallest = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const known = candidate.toLowerCase().replaceAll('_', '');
    const isStart = wanted.length >= 3 && known.startsWith(wanted);
    const distance = Math.min(editDistance(wanted, known), isStart ? 1 : Number.POSITIVE_INFINITY);
    if (distance >= smallest) continue;
    smallest = distance;
    nearest = candidate;
  }
  return nearest;
}

/** Insertions, deletions and replacements. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_value, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = previous[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(previous[column]! + 1, current[column - 1]! + 1, replaced));
    }
    previous = current;
  }
  return previous[b.length]!;
}
