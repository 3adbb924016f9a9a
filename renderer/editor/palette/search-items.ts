import type { PaletteItem } from '../state/new-step.ts';

/**
 * The items that hold every word of the query, the best first: name begins with it, name holds it, the rest by its
 * description. Without a query all, as they are.
 */
export function searchItems(items: readonly PaletteItem[], query: string): readonly PaletteItem[] {
  const words = fold(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return items;
  const found: { item: PaletteItem; rank: number; order: number }[] = [];
  items.forEach((item, order) => {
    const name = fold(item.kind === 'skill' ? item.row.name : item.name);
    const about = item.kind === 'skill' ? fold(`${item.row.slug ?? ''} ${item.row.description}`) : '';
    if (!words.every((word) => name.includes(word) || about.includes(word))) return;
    const first = words[0]!;
    const rank = name.startsWith(first) ? 0 : name.includes(first) ? 1 : 2;
    found.push({ item, rank, order });
  });
  return found.toSorted((a, b) => a.rank - b.rank || a.order - b.order).map(({ item }) => item);
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
