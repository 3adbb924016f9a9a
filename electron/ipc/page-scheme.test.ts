import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { testFolder } from '../services/files/test-folder.ts';
import { ElectronDouble } from './electron-double.ts';
import { pageScheme, servePageScheme } from './page-scheme.ts';

const folder = testFolder('page');
let answer: (request: Request) => Promise<Response>;

beforeAll(() => {
  mkdirSync(join(folder, 'page/assets'), { recursive: true });
  writeFileSync(join(folder, 'page/index.html'), '<title>page</title>');
  writeFileSync(join(folder, 'page/assets/app.js'), 'export {};');
  writeFileSync(join(folder, 'secret.txt'), 'SECRET');
  const electron = new ElectronDouble();
  servePageScheme(electron.apis.protocol, join(folder, 'page'));
  const [[scheme, handler]] = electron.of('protocol.handle') as [[string, typeof answer]];
  expect(scheme).toBe(pageScheme.scheme);
  answer = handler;
});

/** A request with the address as the page wrote it; a standard scheme's dots are resolved before it comes here. */
const ask = (url: string, method = 'GET') => answer({ url, method } as Request);

describe('the scheme of the page', () => {
  it('has the rights of https, and neither those of a file nor a way around the policy', () => {
    expect(pageScheme.privileges).toEqual({ standard: true, secure: true, supportFetchAPI: true, codeCache: true });
  });

  it('gives the built page, with the policy', async () => {
    for (const url of ['studio://app/', 'studio://app/index.html', 'studio://app/?a=1#/chains']) {
      const response = await ask(url);
      expect(response.status).toBe(200);
      expect(await response.text()).toBe('<title>page</title>');
      expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self';/);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
    const script = await ask('studio://app/assets/app.js');
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(await (await ask('studio://app/', 'HEAD')).text()).toBe('');
  });

  it.each([
    ['studio://app/../secret.txt', 'GET'],
    ['studio://app/..%2fsecret.txt', 'GET'],
    ['studio://app/%2e%2e%2fsecret.txt', 'GET'],
    ['studio://app/..%5csecret.txt', 'GET'],
    ['studio://app/assets/', 'GET'],
    ['studio://app/nothing.js', 'GET'],
    ['studio://app/', 'POST'],
    ['studio://other/', 'GET'],
    ['studio://app.evil/', 'GET'],
    ['https://app/', 'GET'],
  ])('has nothing for %s (%s)', async (url, method) => {
    const response = await ask(url, method);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('SECRET');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});
