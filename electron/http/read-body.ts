import type { IncomingMessage } from 'node:http';
import { AppError } from '../../shared/errors/app-error.ts';

/**
 * Reads a request's body, stopping at the limit whatever the sender announced. Errors: TOO_LARGE, CANCELLED when the
 * sender went away.
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limitBytes) throw tooLarge(limitBytes);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limitBytes) {
        request.pause();
        reject(tooLarge(limitBytes));
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('close', () => reject(new AppError('CANCELLED')));
    request.on('error', (cause) => reject(new AppError('CANCELLED', {}, {}, { cause })));
  });
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('TOO_LARGE', { detail: `> ${limitBytes} bytes` });
}
