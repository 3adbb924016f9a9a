import { beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../services/log.ts';
import { ContentsDouble, ElectronDouble, preventable } from './electron-double.ts';
import { hardenContents, hardenSession } from './harden.ts';

const ours = ['studio://app/', 'studio://app/#/chains/x', 'studio://app/index.html?x=1'];
const links = ['https://example.org/', 'http://example.org/a?b=c', 'mailto:someone@example.org'];
const refused = [
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,<script>1</script>',
  'ms-msdt:/id',
  'smb://server/share',
  'studio://other/',
  'studio://app.evil.example/',
  'blob:studio://app/1',
  'not a url',
  '',
  `https://example.org/${'x'.repeat(5000)}`,
];

let electron: ElectronDouble;
let contents: ContentsDouble;
let said: string[];

beforeEach(() => {
  electron = new ElectronDouble();
  contents = new ContentsDouble();
  said = [];
  const log = createLog((level, message) => said.push(`${level} ${message}`));
  hardenContents(electron.apis.app, electron.apis.shell, log);
  electron.app.emit('web-contents-created', {}, contents);
});

const opened = () => electron.of('shell.openExternal').map(([url]) => url);

describe('contents of the program', () => {
  it.each(['will-navigate', 'will-redirect'])('stay on our page: %s', (name) => {
    for (const url of ours) {
      const event = preventable({ url });
      contents.emit(name, event);
      expect([url, event.prevented]).toEqual([url, false]);
    }
    expect(opened()).toEqual([]);
    for (const url of [...links, ...refused]) {
      const event = preventable({ url });
      contents.emit(name, event);
      expect([url, event.prevented]).toEqual([url, true]);
    }
    expect(opened()).toEqual(links);
  });

  it('load nothing into a frame, and nothing but our page into the window', () => {
    for (const [url, isMainFrame, prevented] of [
      ['studio://app/', true, false],
      ['studio://app/', false, true],
      ['https://example.org/', false, true],
      ['https://example.org/', true, true],
    ] as const) {
      const event = preventable({ url, isMainFrame });
      contents.emit('will-frame-navigate', event);
      expect([url, isMainFrame, event.prevented]).toEqual([url, isMainFrame, prevented]);
    }
    const webview = preventable({});
    contents.emit('will-attach-webview', webview);
    expect(webview.prevented).toBe(true);
  });

  it('open no window; a web or mail link goes to the system, nothing else does', () => {
    for (const url of [...ours, ...refused, ...links])
      expect(contents.openHandler?.({ url })).toEqual({ action: 'deny' });
    expect(opened()).toEqual(links);
    expect(said).toHaveLength(ours.length + refused.length);
  });

  it('hand over what was checked, not what was written', () => {
    contents.openHandler?.({ url: ' https://example.org\\@evil/\n' });
    expect(opened()).toEqual([new URL(' https://example.org\\@evil/\n').href]);
  });
});

describe('the session', () => {
  type Handler = (contents: ContentsDouble | null, permission: string, answer?: (may: boolean) => void) => boolean;

  beforeEach(() => hardenSession(electron.defaultSession as never));

  it('allows our page to copy a text, and nothing else to anybody', () => {
    const request = electron.of('session.setPermissionRequestHandler')[0]![0] as Handler;
    const check = electron.of('session.setPermissionCheckHandler')[0]![0] as Handler;
    const answers = (page: ContentsDouble | null, permission: string) => {
      let asked: boolean | null = null;
      request(page, permission, (may) => {
        asked = may;
      });
      return [asked, check(page, permission)];
    };
    const permissions = [
      ...['clipboard-read', 'media', 'geolocation', 'notifications', 'midi', 'midiSysex', 'pointerLock', 'fullscreen'],
      ...[
        'openExternal',
        'display-capture',
        'window-management',
        'fileSystem',
        'hid',
        'serial',
        'usb',
        'storage-access',
      ],
    ];
    for (const permission of permissions)
      expect([permission, ...answers(contents, permission)]).toEqual([permission, false, false]);
    expect(answers(contents, 'clipboard-sanitized-write')).toEqual([true, true]);
    contents.url = 'https://example.org/';
    expect(answers(contents, 'clipboard-sanitized-write')).toEqual([false, false]);
    expect(answers(null, 'clipboard-sanitized-write')).toEqual([false, false]);
  });

  it('gives no device and no download', () => {
    const device = electron.of('session.setDevicePermissionHandler')[0]![0] as () => boolean;
    expect(device()).toBe(false);
    const download = preventable({});
    electron.defaultSession.emit('will-download', download);
    expect(download.prevented).toBe(true);
  });
});
