import { describe, expect, it } from 'vitest';
import { type ErrorClass, errorClasses } from '../chain/chain.ts';
import { afterFailure, classifyFailure, type FailurePolicy, retryDelaysMs } from './failure-policy.ts';

describe('the table of delays', () => {
  it('is the one of skill-sub', () => {
    expect(retryDelaysMs).toEqual({
      file_locked: 0,
      network_error: 5000,
      auth_error: null,
      timeout: 5000,
      other: 2000,
    });
  });
});

describe('classifyFailure', () => {
  it.each<[ErrorClass, string]>([
    ['timeout', 'the request timed out'],
    ['timeout', 'Connection timeout while talking to the network'],
    ['timeout', 'context deadline exceeded'],
    ['timeout', '请求超时'],
    ['auth_error', '401 Unauthorized'],
    ['auth_error', 'HTTP 403'],
    ['auth_error', 'authentication failed, connection closed'],
    ['auth_error', 'Permission denied (publickey)'],
    ['auth_error', 'invalid token'],
    ['auth_error', '认证失败'],
    ['network_error', 'connect ECONNREFUSED 127.0.0.1:1'],
    ['network_error', 'network is unreachable'],
    ['network_error', 'getaddrinfo failed'],
    ['network_error', '网络不通'],
    ['file_locked', 'the file is in use'],
    ['file_locked', 'database is locked'],
    ['file_locked', 'PermissionError: Permission denied: the file is being used by another process'],
    ['file_locked', 'PermissionError: [WinError 32] Permission denied'],
    ['file_locked', '文件被占用'],
    ['other', 'boom'],
    ['other', ''],
    // Parts of words say nothing.
    ['other', 'the author of 4010 lines blocked the blocknetworking thing'],
    ['other', 'SyntaxError: Unexpected token } in JSON'],
  ])('reads %s from the words "%s"', (expected, text) => {
    expect(classifyFailure({ text })).toBe(expected);
  });

  it.each<[ErrorClass, string, string?]>([
    ['file_locked', 'EBUSY'],
    ['auth_error', 'EACCES'],
    ['auth_error', 'EPERM', 'linux'],
    ['file_locked', 'EPERM', 'win32'],
    ['network_error', 'ECONNREFUSED'],
    ['timeout', 'ETIMEDOUT'],
    ['other', 'ENOENT'],
  ])('reads %s from the system error %s', (expected, errno, platform) => {
    expect(classifyFailure({ errno, text: 'network', ...(platform ? { platform } : {}) })).toBe(expected);
  });

  it.each<[ErrorClass, string]>([
    ...errorClasses.map((name): [ErrorClass, string] => [name, name]),
    ...errorClasses.map((name): [ErrorClass, string] => [name, name.toUpperCase().replace('_', '-')]),
    ['auth_error', 'UNAUTHORIZED'],
    ['network_error', 'CONNECTION_REFUSED'],
    ['file_locked', 'FILE_IN_USE'],
    ['timeout', 'DEADLINE_EXCEEDED'],
  ])('reads %s from the reported code %s', (expected, reportedCode) => {
    expect(classifyFailure({ reportedCode, text: expected === 'other' ? 'network' : 'boom' })).toBe(expected);
  });

  it('lets the executor win over the code and the code over the words', () => {
    const text = 'database is locked';
    expect(classifyFailure({ timedOut: true, errno: 'EBUSY', reportedCode: 'AUTH', text })).toBe('timeout');
    expect(classifyFailure({ errno: 'ECONNRESET', reportedCode: 'AUTH', text })).toBe('network_error');
    expect(classifyFailure({ reportedCode: 'AUTH', text })).toBe('auth_error');
    expect(classifyFailure({ reportedCode: 'E42', text })).toBe('file_locked');
  });
});

describe('afterFailure', () => {
  const policy: FailurePolicy = {
    max_retries: 2,
    error_types: [],
    on_exhaust: 'ask',
    is_milestone: false,
    continue_on_error: false,
    retries_by_itself: true,
  };
  const ask = { kind: 'ask', choices: ['retry', 'skip', 'abort'] };

  it('retries as often as the step says, with the delay of the class', () => {
    expect(afterFailure('file_locked', 0, policy)).toEqual({ kind: 'retry', delay_ms: 0 });
    expect(afterFailure('other', 1, policy)).toEqual({ kind: 'retry', delay_ms: 2000 });
    expect(afterFailure('other', 2, policy)).toEqual(ask);
  });

  it('does not retry a class that the step does not list', () => {
    const chosen = { ...policy, error_types: ['network_error'] as const };
    expect(afterFailure('network_error', 0, chosen)).toEqual({ kind: 'retry', delay_ms: 5000 });
    expect(afterFailure('timeout', 0, chosen)).toEqual(ask);
  });

  it('never retries an authentication error but asks at once, whatever follows the last try otherwise', () => {
    for (const on_exhaust of ['ask', 'skip', 'abort'] as const) {
      expect(afterFailure('auth_error', 0, { ...policy, on_exhaust })).toEqual(ask);
    }
    expect(afterFailure('auth_error', 0, { ...policy, error_types: ['auth_error'] })).toEqual(ask);
  });

  it('ends the run for a milestone whatever its other fields say, after its retries', () => {
    for (const on_exhaust of ['ask', 'skip', 'abort'] as const) {
      const milestone = { ...policy, on_exhaust, is_milestone: true, continue_on_error: true };
      expect(afterFailure('other', 1, milestone)).toMatchObject({ kind: 'retry' });
      expect(afterFailure('other', 2, milestone)).toEqual({ kind: 'end_run', reason: 'failed_milestone' });
    }
  });

  it('skips, aborts or goes on as the step says', () => {
    expect(afterFailure('other', 2, { ...policy, on_exhaust: 'skip' })).toEqual({ kind: 'skip' });
    expect(afterFailure('other', 2, { ...policy, on_exhaust: 'abort' })).toEqual({
      kind: 'end_run',
      reason: 'failed_abort',
    });
    expect(afterFailure('other', 2, { ...policy, continue_on_error: true })).toEqual({ kind: 'continue' });
  });
});
