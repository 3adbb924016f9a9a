import { vi } from 'vitest';

/** Long lists draw only what is on the screen; without a layout every element has no size, and nothing would be. */
export function giveSizes(width = 800, height = 400): void {
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(width);
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(height);
}
