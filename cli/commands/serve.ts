import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startHttpHost } from '../../electron/http/http-host.ts';
import { followChanges } from '../../electron/services/create-services.ts';
import { AppError } from '../../shared/errors/app-error.ts';
import type { CommandContext } from '../command-context.ts';
import { openInBrowser } from '../open-in-browser.ts';
import { withServices } from '../open-services.ts';
import { wholeNumber } from './runs.ts';

/** `serve`: the window in a browser, until SIGINT or SIGTERM. The address is the line that starts with http. */
export async function serve(options: { port?: string; open?: boolean }, context: CommandContext): Promise<number> {
  const { output } = context;
  const port = options.port === undefined ? 0 : wholeNumber(options.port, 0, 65_535, context);
  const rendererFolder = join(context.appFolder, 'dist', 'renderer');
  const page = join(rendererFolder, 'index.html');
  if (!existsSync(page)) output.note(output.text('renderer_missing', { file: page }));
  return withServices(context, async (services) => {
    await followChanges(services);
    const host = await startHttpHost(services, { port, rendererFolder }).catch((thrown: unknown) => {
      const detail = thrown instanceof Error ? thrown.message : String(thrown);
      throw new AppError('USAGE', { detail: output.text('port_taken', { port, detail }) }, {}, { cause: thrown });
    });
    output.value({ url: host.url, port: host.port, pid: process.pid });
    output.line(host.url);
    output.line(output.text('serving_hint'));
    if (options.open) openInBrowser(host.url);
    await stopAsked();
    output.line(output.text('stopping_server'));
    await host.close();
    return 0;
  });
}

function stopAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}
