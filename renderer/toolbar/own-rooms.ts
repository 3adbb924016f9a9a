import { z } from 'zod';
import type { Action } from '../../shared/action/manifest.ts';
import { type RoomName, roomNames } from '../stores/route.ts';

/**
 * Where the window offers an action of the application's own manifest. `rooms`: the rooms whose toolbar may show it;
 * absent = all. `primaryIn`: rooms that draw it as their own main button, so that their toolbar leaves it out.
 */
const OwnRooms = z.object({
  rooms: z.array(z.enum(roomNames)).optional(),
  primaryIn: z.array(z.enum(roomNames)).optional(),
});

/** Whether the toolbar of `room` shows an action of the application's own manifest. */
export function isOfferedIn(action: Action, room: RoomName): boolean {
  const { rooms, primaryIn } = OwnRooms.parse(action);
  if (primaryIn?.includes(room) === true) return false;
  return rooms === undefined || rooms.includes(room);
}
