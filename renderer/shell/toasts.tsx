import { Notifications, useNotifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import type { Route } from '../stores/route.ts';
import classes from './toasts.module.css';

const gapPx = 12;
/** The tools that lie on the canvas at its lower edge, with the gaps around them. */
const canvasToolsPx = 64;
/** Below the top row, where the rooms have their own notices. */
const lowestTopPx = 120;

/**
 * Where toasts appear: in the middle below, where no room has its buttons, and above the editor's lower panel, where
 * a run asks its questions, and the tools of its canvas.
 */
export function Toasts({ route }: { route: Route }) {
  const { notifications } = useNotifications();
  const bottom = useBottom(route, notifications.length > 0);
  return (
    <Notifications
      position="bottom-center"
      limit={4}
      className={classes['toasts'] ?? ''}
      style={{ '--toasts-bottom': `${bottom}px` }}
    />
  );
}

function useBottom(route: Route, needed: boolean): number {
  const [bottom, setBottom] = useState(gapPx);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another room has another lower panel, or none.
  useEffect(() => {
    const main = document.getElementById('main');
    if (!needed || main === null) return;
    let frame = 0;
    const place = () => {
      const panel = main.querySelector('[data-editor-region="panel"]');
      const free = panel === null ? gapPx : window.innerHeight - panel.getBoundingClientRect().top + canvasToolsPx;
      setBottom(Math.min(free, window.innerHeight - lowestTopPx));
    };
    const placeSoon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(place);
    };
    place();
    // The editor comes after its room, and its panel opens, closes and grows.
    const coming = new MutationObserver(placeSoon);
    coming.observe(main, { childList: true, subtree: true, attributeFilter: ['style'] });
    window.addEventListener('resize', placeSoon);
    return () => {
      cancelAnimationFrame(frame);
      coming.disconnect();
      window.removeEventListener('resize', placeSoon);
    };
  }, [route, needed]);
  return bottom;
}
