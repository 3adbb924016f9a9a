import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readProgramOutput, readProgress } from './read-output.ts';

const read = (stdout: string, stderr = '', exitCode: number | null = 0) =>
  readProgramOutput({ stdout, stderr, exitCode });

describe('the result', () => {
  it.each([
    ['{"a":1}\n', { a: 1 }],
    ['[1,2]', [1, 2]],
    ['working ...\n{"a":1}\n', { a: 1 }],
    ['working ...\n{\n  "a": {\n    "b": 1\n  }\n}\n', { a: { b: 1 } }],
    ['Here:\n```json\n{"a":1}\n```\nBye.', { a: 1 }],
    ['{"a":1}\r\n', { a: 1 }],
    ['{\n"a": 1\n}', { a: 1 }],
    ['just text', null],
    ['{broken', null],
    ['12', null],
    ['', null],
  ])('of %j is %j', (stdout, result) => {
    expect(read(stdout).result).toEqual(result);
    expect(read(stdout).text).toBe(stdout.trim());
  });

  it('is whatever JSON object a program prints last, with any text before it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[ -z]{0,20}$/)),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.boolean(),
        (before, object, pretty) => {
          const json = JSON.stringify(object, null, pretty ? 2 : 0);
          expect(read([...before, json, ''].join('\n')).result).toEqual(JSON.parse(json));
        },
      ),
    );
  });
});

describe('the error', () => {
  it('is read off either stream, with its hint', () => {
    const error = { code: 'NOT_FOUND', message: 'no such file', hint: 'check the path' };
    expect(read('', 'ERROR:NOT_FOUND: no such file\nHINT: check the path\n', 1).error).toEqual(error);
    expect(read('ERROR:NOT_FOUND: no such file\r\nHINT: check the path\r\n', '', 1).error).toEqual(error);
    expect(read('', 'Traceback ...\nERROR:network_error: reset', 1).error).toEqual({
      code: 'network_error',
      message: 'reset',
      hint: null,
    });
  });

  it('is read off JSON, whatever the exit code', () => {
    const stdout = '{"ok":false,"error":{"code":"LOGIN","message":"expired"},"hint":"log in"}';
    for (const code of [0, 1])
      expect(read(stdout, '', code).error).toEqual({ code: 'LOGIN', message: 'expired', hint: 'log in' });
    expect(read('{"error":{"code":5,"message":"x"}}', '', 1).error?.code).toBe('5');
    expect(read('', '{"ok":false,"error":{"code":"A","message":"b"}}', 1).error?.code).toBe('A');
  });

  it('is none when the program succeeded, whatever it printed', () => {
    expect(read('done', 'ERROR:OLD: was handled\n').error).toBeNull();
    expect(read('{"error":{"code":"A","message":"of an entry"}}').error).toBeNull();
    expect(read('{"ok":true,"error":null}', '', 0).error).toBeNull();
  });

  it('is none when nothing was reported', () => {
    expect(read('oops', 'Error: something', 1).error).toBeNull();
  });

  it('is the last of several', () => {
    expect(read('', 'ERROR:A: a\nHINT: one\nERROR:B: b\n', 1).error).toEqual({ code: 'B', message: 'b', hint: null });
  });
});

describe('progress', () => {
  it.each([
    ['PROGRESS:50', { percent: 50, text: null }],
    ['PROGRESS:50: half: way', { percent: 50, text: 'half: way' }],
    ['PROGRESS: 12.5%: x', { percent: 12.5, text: 'x' }],
    ['  PROGRESS:100:', { percent: 100, text: null }],
    ['PROGRESS:250: x', { percent: 100, text: 'x' }],
    ['{"progress": 30, "message": "x"}', { percent: 30, text: 'x' }],
    ['{"progress": -1}', { percent: 0, text: null }],
    ['{"progress": "30"}', null],
    ['PROGRESS:abc', null],
    ['PROGRESS:-5', null],
    ['progress 50', null],
  ])('of %j is %j', (line, progress) => {
    expect(readProgress(line)).toEqual(progress);
  });
});
