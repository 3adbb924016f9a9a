/**
 * The candidates that a mistyped name may have meant, nearest first, at most `limit`. Case is ignored; a candidate
 * counts when at most a third of the name (and at least one sign) would have to change, or when one holds the other.
 */
export function closestNames(name: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = [...fold(name)];
  if (wanted.length === 0) return [];
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  const found: { candidate: string; distance: number; order: number }[] = [];
  let order = 0;
  for (const candidate of new Set(candidates)) {
    order += 1;
    const text = [...fold(candidate)];
    if (text.length === 0) continue;
    const distance = editDistance(wanted, text, allowed);
    if (distance <= allowed) found.push({ candidate, distance, order });
    else if (contains(wanted, text)) found.push({ candidate, distance: allowed + 1, order });
  }
  found.sort((a, b) => a.distance - b.distance || a.order - b.order);
  return found.slice(0, limit).map((entry) => entry.candidate);
}

function fold(name: string): string {
  return name
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
}

function contains(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 2 && long.join('').includes(short.join(''));
}

/** Insertions, deletions, replacements and swaps of neighbours; anything above `limit` is given as `limit + 1`. */
function editDistance(a: readonly string[], b: readonly string[], limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_value, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    let smallest = row;
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, before[column - 2]! + 1);
      }
      current.push(cost);
      smallest = Math.min(smallest, cost);
    }
    if (smallest > limit) return limit + 1;
    before = previous;
    previous = current;
  }
  return previous[b.length]!;
}
