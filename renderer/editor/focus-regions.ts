const focusable =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"]';

/**
 * Puts the focus on a field of the inspector: `first` = the first one there is. The field may only be drawn after the
 * next frame (a panel that unfolds, a step that was just chosen).
 */
export function focusField(root: HTMLElement | null, field: string): void {
  const selector = field === 'first' ? '[data-field]' : `[data-field="${CSS.escape(field)}"]`;
  requestAnimationFrame(() => {
    const found = root?.querySelector<HTMLElement>(`[data-editor-region="inspector"] ${selector}`);
    const input = found?.matches('input, textarea') ? found : found?.querySelector<HTMLElement>('input, textarea');
    input?.focus();
    if (input instanceof HTMLInputElement && input.type === 'text') input.select();
  });
}

/** Goes to the next or previous part of the editor, to the element in it that had the focus last or the first one. */
export function focusNextRegion(root: HTMLElement | null, step: 1 | -1): void {
  if (root === null) return;
  const regions = [...root.querySelectorAll<HTMLElement>('[data-editor-region]')];
  const now = regions.findIndex((region) => region.contains(document.activeElement));
  for (let tried = 1; tried <= regions.length; tried++) {
    const at =
      now < 0
        ? step > 0
          ? tried - 1
          : regions.length - tried
        : (now + step * tried + regions.length * 2) % regions.length;
    const target = entryOf(regions[at]!);
    if (target === null) continue;
    target.focus();
    return;
  }
}

function entryOf(region: HTMLElement): HTMLElement | null {
  const card = region.querySelector<HTMLElement>('[data-step-id][tabindex="0"]');
  if (card !== null) return card;
  return (
    [...region.querySelectorAll<HTMLElement>(focusable)].find((element) => element.getClientRects().length > 0) ?? null
  );
}
