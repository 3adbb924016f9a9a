import { createContext, use } from 'react';
import type { Point } from '../layout/layered-layout.ts';

/** What the rest of the editor may ask of the canvas. */
export interface CanvasPort {
  /** Shows these steps, or all. */
  fit(ids?: readonly string[]): void;
  zoomBy(factor: number): void;
  zoomTo(zoom: number): void;
  /** Where a card must stand to be in the middle of the window. */
  centre(): Point;
  focus(): void;
}

export const CanvasPortContext = createContext<(port: CanvasPort | null) => void>(() => {});

/** Where the canvas hands in its port while it is on the screen. */
export function useCanvasPort(): (port: CanvasPort | null) => void {
  return use(CanvasPortContext);
}
