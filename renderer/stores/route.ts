import { useSyncExternalStore } from 'react';

export const roomNames = ['chains', 'chain', 'runs', 'run', 'skills', 'skill', 'jobs', 'settings'] as const;
export type RoomName = (typeof roomNames)[number];

/** Where in the window the person is; kept in the address's fragment, so that back, forward and links work. */
export type Route =
  | { readonly room: 'chains' }
  | { readonly room: 'chain'; readonly name: string }
  | { readonly room: 'runs' }
  | { readonly room: 'run'; readonly id: string }
  | { readonly room: 'skills' }
  | { readonly room: 'skill'; readonly id: string }
  | { readonly room: 'jobs'; readonly id?: string }
  | { readonly room: 'settings'; readonly key?: string };

/** The room on the screen. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return parseRoute(hash);
}

/** Goes somewhere. */
export function navigate(route: Route): void {
  window.location.hash = hrefOf(route);
}

/** The link to a place, for `href`. */
export function hrefOf(route: Route): string {
  switch (route.room) {
    case 'chain':
      return `#/chains/${encodeURIComponent(route.name)}`;
    case 'run':
      return `#/runs/${encodeURIComponent(route.id)}`;
    case 'skill':
      return `#/skills/${encodeURIComponent(route.id)}`;
    case 'jobs':
      return route.id === undefined ? '#/jobs' : `#/jobs/${encodeURIComponent(route.id)}`;
    case 'settings':
      return route.key === undefined ? '#/settings' : `#/settings/${encodeURIComponent(route.key)}`;
    default:
      return `#/${route.room}`;
  }
}

/** Reads a fragment; anything unknown is the list of chains. */
export function parseRoute(hash: string): Route {
  const [room = '', ...rest] = hash.replace(/^#\/?/, '').split('/');
  const part = decode(rest.join('/'));
  switch (room) {
    case 'chains':
      return part === '' ? { room: 'chains' } : { room: 'chain', name: part };
    case 'runs':
      return part === '' ? { room: 'runs' } : { room: 'run', id: part };
    case 'skills':
      return part === '' ? { room: 'skills' } : { room: 'skill', id: part };
    case 'jobs':
      return part === '' ? { room: 'jobs' } : { room: 'jobs', id: part };
    case 'settings':
      return part === '' ? { room: 'settings' } : { room: 'settings', key: part };
    default:
      return { room: 'chains' };
  }
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
