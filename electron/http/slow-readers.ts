import type { ServerResponse } from 'node:http';

/**
 * Cuts off an answer whose reader took nothing of what waits for it during `patienceMs`. A stream that has nothing to
 * say is left alone.
 */
export function watchReaders(patienceMs: number): { add(response: ServerResponse): void; dispose(): void } {
  const open = new Map<ServerResponse, { bytesRead: number; sinceMs: number }>();
  const timer = setInterval(
    () => {
      const nowMs = performance.now();
      for (const [response, seen] of open) {
        const socket = response.socket;
        if (socket === null) continue;
        // `bytesWritten` counts what waits as well; the difference is what the reader has taken.
        const bytesRead = socket.bytesWritten - socket.writableLength;
        if (socket.writableLength === 0 || bytesRead !== seen.bytesRead)
          open.set(response, { bytesRead, sinceMs: nowMs });
        else if (nowMs - seen.sinceMs >= patienceMs) socket.destroy();
      }
    },
    Math.max(20, Math.min(5_000, patienceMs / 3)),
  );
  timer.unref();
  return {
    add(response) {
      open.set(response, { bytesRead: -1, sinceMs: performance.now() });
      response.once('close', () => open.delete(response));
    },
    dispose() {
      clearInterval(timer);
      open.clear();
    },
  };
}
