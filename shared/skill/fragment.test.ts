import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findFragment, headingsOf } from './fragment.ts';
import { readSkillHead } from './front-matter.ts';

const body = [
  'Read this first: nothing is sent.',
  '',
  '# Mail',
  '',
  'All about mail.',
  '',
  '## Send a mail',
  '',
  'Use `send`.',
  '',
  '```bash',
  '# Read a mail',
  'send --to you',
  '```',
  '',
  '### Attachments',
  '',
  'At most 20 MB.',
  '',
  '## **Read**: a mail! ##',
  '',
  'Use `read`.',
  '',
  'Folders',
  '-------',
  '',
  'Inbox and archive.',
  '',
  '# 安全审计（Security-Audit）',
  '',
  '检查每个文件。',
  '',
].join('\n');

describe('findFragment', () => {
  it('goes from the heading to the next one of the same or a higher level', () => {
    expect(findFragment(body, 'Send a mail')).toEqual({
      text: body.split('\n').slice(6, 18).join('\n'),
      heading: 'Send a mail',
      start_line: 7,
      end_line: 18,
      ambiguous: false,
    });
    expect(findFragment(body, 'Mail')).toMatchObject({ start_line: 3, end_line: 27 });
    expect(findFragment(body, 'Attachments')).toMatchObject({ start_line: 16, end_line: 18 });
  });

  it('takes the heading as it is written with its marks', () => {
    expect(findFragment(body, ' ## Send a mail ')).toMatchObject({ start_line: 7 });
  });

  it('takes a heading whose case, spaces and punctuation are others, and no line of a code block', () => {
    expect(findFragment(body, 'read-a-mail')).toMatchObject({ start_line: 20, end_line: 22, ambiguous: false });
    expect(findFragment(body, 'SEND_A_MAIL')).toMatchObject({ start_line: 7 });
  });

  it('takes a heading that contains the text, in any script', () => {
    expect(findFragment(body, 'security audit')).toMatchObject({ start_line: 29, end_line: 31 });
    expect(findFragment(body, '安全审计')).toMatchObject({ heading: '安全审计（Security-Audit）' });
  });

  it('takes the innermost part around a line when no heading fits', () => {
    expect(findFragment(body, 'at most 20 MB')).toMatchObject({ heading: 'Attachments' });
    expect(findFragment(body, 'send --to you')).toMatchObject({ heading: 'Send a mail' });
    expect(findFragment(body, 'Inbox')).toMatchObject({ heading: 'Folders', start_line: 24, end_line: 27 });
  });

  it('takes what stands before the first heading', () => {
    expect(findFragment(body, 'nothing is sent')).toEqual({
      text: 'Read this first: nothing is sent.',
      heading: null,
      start_line: 1,
      end_line: 1,
      ambiguous: false,
    });
  });

  it('says that another part fits as well, and takes the first', () => {
    const twice = '# Use\n\none\n\n# Other\n\n# Use\n\ntwo\n';
    expect(findFragment(twice, 'Use')).toMatchObject({ text: '# Use\n\none', ambiguous: true });
    expect(findFragment(body, 'a mail')).toMatchObject({ heading: 'Send a mail', ambiguous: true });
    // A better way decides before a worse one sees two.
    expect(findFragment('# Use it\n\n# Use\n', 'Use')).toMatchObject({ start_line: 3, ambiguous: false });
  });

  it('finds nothing for nothing', () => {
    for (const instruction of ['', '   ', '##  ', 'no such words', '???']) {
      expect(findFragment(body, instruction)).toBeNull();
    }
    expect(findFragment('', 'x')).toBeNull();
  });

  it('sees no heading in a comment, in a longer fence, in a quoted fence or where a rule follows a list', () => {
    const text = [
      '<!--',
      '# hidden',
      '-->',
      '````md',
      '```',
      '# in code',
      '```',
      '````',
      '> ```',
      '# in a quote',
      '> ```',
      '- item',
      '---',
      '| a |',
      '---',
      '#tag',
      '    # indented',
      '# real',
      '~~~',
      '# open to the end',
    ].join('\n');
    expect(headingsOf(text).map((heading) => heading.text)).toEqual(['real']);
  });

  it('reads CRLF as LF', () => {
    expect(findFragment(body.replaceAll('\n', '\r\n'), 'Send a mail')).toEqual(findFragment(body, 'Send a mail'));
  });

  it('gives lines of the text, whatever is asked of whatever', () => {
    const line = fc.oneof(
      fc.constantFrom('# a', '## b', '### a b', '```', '~~~', '<!--', '-->', '', 'a b', '- x', '---', '===', '>'),
      fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, ' ')),
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 25 }),
        fc.oneof(fc.constantFrom('a', 'b', 'a b'), line),
        (lines, wanted) => {
          const text = lines.join('\n');
          const found = findFragment(text, wanted);
          if (found === null) return;
          expect(found.start_line).toBeGreaterThanOrEqual(1);
          expect(found.end_line).toBeGreaterThanOrEqual(found.start_line);
          expect(found.text).toBe(lines.slice(found.start_line - 1, found.end_line).join('\n'));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('stays quick on a text made to be slow', () => {
    const slow = `${'['.repeat(60_000)}\n# ${'# '.repeat(30_000)}x\n${'`'.repeat(60_000)}`;
    expect(findFragment(slow, 'nowhere in it')).toBeNull();
  });
});

// Real files of public repositories, kept beside the project where it is developed; data only, never run.
const corpus = resolve(import.meta.dirname, '../../../shared/corpus');
const there = existsSync(join(corpus, 'QUIRKS.tsv'));

describe.skipIf(!there)(
  `parts of thousands of real skills${there ? '' : ' (skipped: the corpus is not beside the project)'}`,
  () => {
    it('finds every heading by its own text, alone or as one of several with it', { timeout: 120_000 }, () => {
      let asked = 0;
      let several = 0;
      const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((path) =>
        /(^|[\\/])skill\.md$/i.test(path),
      );
      for (const file of files) {
        const text = readText(join(corpus, file));
        if (text === null) continue;
        const head = readSkillHead(text, { folderName: 'x', badBytes: false });
        const markdown = head === null ? text : text.slice(head.bodyStart);
        for (const heading of headingsOf(markdown).slice(0, 3)) {
          if (heading.text === '') continue;
          const found = findFragment(markdown, heading.text);
          asked += 1;
          expect(found, `${file}: ${heading.text}`).not.toBeNull();
          if (found!.ambiguous) several += 1;
          if (!found!.ambiguous || found!.start_line - 1 > heading.line) {
            expect(found!.start_line - 1, `${file}: ${heading.text}`).toBe(heading.line);
          }
          expect(found!.heading).not.toBeNull();
        }
      }
      console.table({ asked, several });
      expect(asked).toBeGreaterThan(8_000);
      expect(several).toBeLessThan(asked / 10);
    });
  },
);

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  } catch {
    return null;
  }
}
