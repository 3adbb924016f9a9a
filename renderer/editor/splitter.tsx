import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import classes from './splitter.module.css';

type Edge = 'left' | 'right' | 'bottom';

const keyStep = 16;

/** The line between a panel and the middle. Dragged, or moved by the arrow keys; Home and End go to the limits. */
export function Splitter({
  label,
  edge,
  size,
  range,
  onSize,
}: {
  label: string;
  /** Where the panel is, seen from the middle. */
  edge: Edge;
  /** Of the panel, in pixels. */
  size: number;
  range: { readonly least: number; readonly most: number };
  onSize: (size: number) => void;
}) {
  const from = useRef<{ at: number; size: number } | null>(null);
  const upright = edge !== 'bottom';
  const sign = edge === 'left' ? 1 : -1;
  const set = (next: number) => onSize(Math.round(Math.min(range.most, Math.max(range.least, next))));
  const place = (event: PointerEvent) => (upright ? event.clientX : event.clientY);
  const onKeyDown = (event: KeyboardEvent) => {
    const grow = {
      ArrowRight: upright ? sign : 0,
      ArrowLeft: upright ? -sign : 0,
      ArrowUp: upright ? 0 : 1,
      ArrowDown: upright ? 0 : -1,
    };
    if (event.key === 'Home') set(range.least);
    else if (event.key === 'End') set(range.most);
    else if (event.key in grow && grow[event.key as keyof typeof grow] !== 0)
      set(size + grow[event.key as keyof typeof grow] * keyStep);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved; <hr> can not.
    <div
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={upright ? 'vertical' : 'horizontal'}
      aria-valuenow={size}
      aria-valuemin={range.least}
      aria-valuemax={range.most}
      className={classes['splitter']}
      data-upright={upright || undefined}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { at: place(event), size };
      }}
      onPointerMove={(event) => {
        if (from.current !== null) set(from.current.size + (place(event) - from.current.at) * sign);
      }}
      onPointerUp={() => {
        from.current = null;
      }}
      onLostPointerCapture={() => {
        from.current = null;
      }}
    />
  );
}
