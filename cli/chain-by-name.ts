import { type ChainStore, createChainStore } from '../electron/services/chains/chain-store.ts';
import { findHomes } from '../electron/services/find-homes.ts';
import { silentLog } from '../electron/services/log.ts';
import { closestNames } from '../shared/chain/closest-names.ts';
import { AppError } from '../shared/errors/app-error.ts';
import { type Output, usageError } from './output.ts';

/** The chains of this machine's data home, for commands that need nothing else. */
export function openChains(): ChainStore {
  return createChainStore({ home: findHomes().dataHome, now: Date.now, log: silentLog });
}

/** The name that a command was given. Errors: USAGE. */
export function neededName(name: string | undefined, output: Output): string {
  if (name === undefined || name === '') throw usageError(output.text('name_needed'), output.text('name_needed_hint'));
  return name;
}

/** Does something with a chain; when there is none of that name, the error says which ones are near. */
export async function withSuggestion<T>(
  name: string,
  chains: Pick<ChainStore, 'names'>,
  output: Output,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'CHAIN_NOT_FOUND') throw thrown;
    const near = closestNames(name, await chains.names());
    if (near.length === 0) throw thrown;
    const names = near.map((one) => `"${one}"`).join(', ');
    throw new AppError('CHAIN_NOT_FOUND', { name, hint: output.text('did_you_mean', { names }) });
  }
}
