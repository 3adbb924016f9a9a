import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { contract } from '../../shared/api/contract.ts';
import { createServices, followChanges, type Services } from '../services/create-services.ts';
import { testFolder } from '../services/files/test-folder.ts';
import { createLog } from '../services/log.ts';
import { ContentsDouble, ElectronDouble, type MainPort, portPair } from './electron-double.ts';
import { connectChannel, startPortHost } from './port-host.ts';

const home = testFolder('port');
const said: string[] = [];
let services: Services;
let electron: ElectronDouble;
let contents: ContentsDouble;
let stop: () => void;

beforeAll(async () => {
  services = await createServices({
    dataHome: join(home, 'data'),
    skillsHome: join(home, 'skills'),
    homeDir: home,
    appFolder: resolve(import.meta.dirname, '../..'),
    version: '1.2.3',
    locale: 'en',
    log: createLog((level, message) => said.push(`${level} ${message}`)),
    now: Date.now,
    newId: () => 'id',
  });
  mkdirSync(join(home, 'data/chains'), { recursive: true });
  writeFileSync(join(home, 'data/chains/one.json'), '{"name": "one", "steps": []}');
  await followChanges(services);
});
afterAll(() => services.dispose());
beforeEach(() => {
  electron = new ElectronDouble();
  contents = new ContentsDouble();
  said.length = 0;
  stop = startPortHost(electron.apis.ipcMain, services, (given) => given === (contents as unknown));
});

/** What the page sends: a port, from one of its frames. */
function connect(fields: { sender?: ContentsDouble; frame?: { url: string } | null; ports?: MainPort[] } = {}): {
  page: MessagePort;
  main: MainPort;
} {
  const { main, page } = portPair();
  const sender = fields.sender ?? contents;
  const senderFrame = fields.frame === undefined ? sender.mainFrame : fields.frame;
  electron.ipcMain.emit(connectChannel, { ports: fields.ports ?? [main], sender, senderFrame });
  return { page, main };
}

function clientOf(port: MessagePort): ContractRouterClient<typeof contract> {
  return createORPCClient(new RPCLink({ port }));
}

describe('the port of the page', () => {
  it('carries the contract: calls, typed errors and streams', async () => {
    const { page } = connect();
    const client = clientOf(page);
    expect(await client.app.info()).toMatchObject({
      version: '1.2.3',
      transport: 'window',
      data_home: join(home, 'data'),
    });
    expect((await client.chains.list()).map(({ name }) => name)).toEqual(['one']);
    await expect(client.chains.get({ name: 'nobody' })).rejects.toMatchObject({
      code: 'APP',
      data: { code: 'CHAIN_NOT_FOUND' },
    });
    const events = await client.app.watch();
    expect((await events.next()).value).toEqual({ kind: 'alive' });
    await client.chains.create({ name: 'two' });
    for await (const event of events) if (event.kind === 'chains_changed') break;
    page.close();
  });

  it.each([
    ['another page in the window', () => connect({ frame: { url: 'https://evil.example/' } })],
    ['a frame inside our page', () => connect({ frame: { url: 'studio://app/' } })],
    ['a frame that is gone', () => connect({ frame: null })],
    ['contents that are no window of ours', () => connect({ sender: new ContentsDouble() })],
    [
      'a page that left our address',
      () => {
        contents.mainFrame.url = 'file:///tmp/x.html';
        return connect();
      },
    ],
  ])('is refused to %s', (_who, attempt) => {
    const { main } = attempt();
    expect(main.closed).toBe(true);
    expect(said).toEqual(['warn a connection was refused']);
  });

  it('is refused when it comes as two, or as none', () => {
    const [one, two] = [portPair().main, portPair().main];
    connect({ ports: [one, two] });
    expect([one.closed, two.closed]).toEqual([true, true]);
    connect({ ports: [] });
    expect(said).toHaveLength(2);
  });

  it('is one for a page: the old one closes when it is loaded again, and its streams end', async () => {
    const first = connect();
    const events = await clientOf(first.page).app.watch();
    expect((await events.next()).value).toEqual({ kind: 'alive' });
    const second = connect();
    expect(first.main.closed).toBe(true);
    expect(await clientOf(second.page).app.info()).toMatchObject({ version: '1.2.3' });
    second.page.close();
  });

  it('is closed for a message that is too large', async () => {
    const { page, main } = connect();
    const closed = new Promise((done) => page.once('close', done));
    page.postMessage('x'.repeat(4 * 1024 * 1024 + 1));
    await closed;
    expect(main.closed).toBe(true);
    expect(said).toEqual(['warn a message was too large']);
  });

  it('is closed with the program', async () => {
    const { page, main } = connect();
    expect(await clientOf(page).app.info()).toMatchObject({ transport: 'window' });
    stop();
    expect(main.closed).toBe(true);
    expect(electron.ipcMain.listenerCount(connectChannel)).toBe(0);
  });
});
