import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink as FetchLink } from '@orpc/client/fetch';
import { RPCLink as PortLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import type { contract } from '../../shared/api/contract.ts';
import { AppError, readWireError, toAppError } from '../../shared/errors/app-error.ts';

export type Api = ContractRouterClient<typeof contract>;

/** Something that carries a call to the services: the local server, the desktop shell's port, or a test's router. */
export interface ApiLink {
  call(path: readonly string[], input: unknown, options: object): Promise<unknown>;
}

let link: ApiLink | null = null;

/**
 * The services, wherever they are. Every rejected call is an AppError; NOT_CONNECTED when no answer came. Errors inside
 * a stream go through `readError`, since they are thrown while it is read.
 */
export const api: Api = createORPCClient<Api>({
  call: async (path, input, options) => {
    link ??= new FetchLink({ url: new URL('rpc', document.baseURI).href }) as ApiLink;
    try {
      return await link.call(path, input, options);
    } catch (thrown) {
      throw readError(thrown);
    }
  },
});

/** Chooses how calls travel; without it they go to the local server that served this page. */
export function setLink(next: ApiLink | null): void {
  link = next;
}

/** A link over the desktop shell's message port. */
export function portLink(port: MessagePort): ApiLink {
  const made = new PortLink({ port });
  port.start();
  return made as ApiLink;
}

/** Whatever a call or a stream threw, as an AppError. */
export function readError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof ORPCError) {
    const wire = readWireError(thrown.data);
    if (wire !== null) return AppError.fromWire(wire);
    if (thrown.status === 401) return new AppError('NOT_AUTHORISED');
    return new AppError('INTERNAL', { detail: thrown.message });
  }
  if (isAbort(thrown)) return new AppError('CANCELLED', {}, {}, { cause: thrown });
  // `fetch` rejects with a TypeError when no answer came; a closed port rejects with its own AbortError.
  if (thrown instanceof TypeError) return new AppError('NOT_CONNECTED', {}, {}, { cause: thrown });
  return toAppError(thrown);
}

function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'AbortError';
}
