import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createServices, type Services } from '../electron/services/create-services.ts';
import { findHomes } from '../electron/services/find-homes.ts';
import { createFileLog } from '../electron/services/log.ts';
import type { CommandContext } from './command-context.ts';

/** The services on this machine's homes, for one command. The caller disposes them. */
export function openServices(context: CommandContext): Promise<Services> {
  const homes = findHomes();
  return createServices({
    ...homes,
    appFolder: context.appFolder,
    version: context.version,
    locale: context.output.locale,
    log: createFileLog(join(homes.dataHome, 'logs', 'skill-sub.log')),
    now: Date.now,
    newId: () => randomBytes(6).toString('hex'),
  });
}

/** Opens the services, does something with them and disposes them, whatever happens. */
export async function withServices<T>(context: CommandContext, work: (services: Services) => Promise<T>): Promise<T> {
  const services = await openServices(context);
  try {
    return await work(services);
  } finally {
    await services.dispose();
  }
}
