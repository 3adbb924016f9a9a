import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findFragment } from './fragment.ts';
import { normalizeText, readSkillHead } from './front-matter.ts';
import { readMarkdownLines } from './headings.ts';

const body = `# Skills Security Check

Intro text.

## 1. Security Audit

Run the audit.

\`\`\`bash
# Deploy
python scripts/audit.py --path .
\`\`\`

### Options

| flag | meaning |
|------|---------|
| \`--strict\` | stop at the first finding |
| --report | write a report |

## 打包（Pack）

- **clean**: remove caches
- zip: make the archive

### 步骤 2：推送代码

推送到两个仓库。

## Deploy

Deploy it.

## Deploy

Deploy it again.
`;

const lines = (instruction: string, text = body) => {
  const found = findFragment(text, instruction);
  return found === null ? null : [found.heading, found.start_line, found.end_line, found.ambiguous];
};

describe('the part of SKILL.md that an instruction names', () => {
  it('is the section of the heading with exactly that text, with the sections below it', () => {
    expect(lines('1. Security Audit')).toEqual(['1. Security Audit', 5, 19, false]);
    expect(findFragment(body, '1. Security Audit')?.text).toBe(body.split('\n').slice(4, 19).join('\n'));
    expect(lines('Options')).toEqual(['Options', 14, 19, false]);
    expect(lines('## Options')).toEqual(['Options', 14, 19, false]);
  });

  it('is found without case, punctuation, width of letters and numbering', () => {
    for (const name of [
      'security-audit',
      'Security Audit',
      'SECURITY_AUDIT',
      '１．security audit',
      '2) Security Audit',
    ]) {
      expect(lines(name)).toEqual(['1. Security Audit', 5, 19, false]);
    }
    for (const name of ['推送代码', '步骤2:推送代码', '推送 代码']) {
      expect(lines(name)).toEqual(['步骤 2：推送代码', 26, 28, false]);
    }
    expect(lines('打包(Pack)')).toEqual(['打包（Pack）', 21, 28, false]);
  });

  it('is the section whose heading begins with it or contains it', () => {
    expect(lines('打包')).toEqual(['打包（Pack）', 21, 28, false]);
    expect(lines('audit')).toEqual(['1. Security Audit', 5, 19, false]);
    expect(lines('Skills Security')).toEqual(['Skills Security Check', 1, 36, false]);
  });

  it('is what stands around the command, the table row or the list item', () => {
    expect(lines('python scripts/audit.py')).toEqual(['1. Security Audit', 5, 12, false]);
    expect(lines('--strict')).toEqual(['Options', 14, 19, false]);
    expect(lines('--report')).toEqual(['Options', 14, 19, false]);
    expect(lines('clean')).toEqual(['打包（Pack）', 21, 24, false]);
    expect(lines('两个仓库')).toEqual(['步骤 2：推送代码', 26, 28, false]);
  });

  it('is the first of equally good parts, and says that there are others', () => {
    expect(lines('Deploy')).toEqual(['Deploy', 30, 32, true]);
    expect(lines('Deploy it')).toEqual(['Deploy', 30, 32, true]);
    expect(lines('a', '# X a\n\n# a\n\n# a')).toEqual(['a', 3, 3, true]);
    // A second one inside the first is not lost.
    expect(lines('Usage', '## Usage\n\n### Usage\n\ntext')).toEqual(['Usage', 1, 5, false]);
  });

  it('is nothing where nothing fits or nothing was asked', () => {
    for (const name of ['', '   ', '##', 'no such part', '不存在', 'x', '的'])
      expect(findFragment(body, name)).toBeNull();
    expect(findFragment('', 'Deploy')).toBeNull();
  });

  it('is cut out of a long section around what was meant', () => {
    const filler = Array.from({ length: 400 }, (_, i) => `Paragraph number ${i} of the long part.\n`).join('\n');
    const long = `## Long\n\n${filler}\nCall it so:\n\n\`\`\`sh\nspecial-command --now\n\`\`\`\n\n${filler}`;
    const found = findFragment(long, 'special-command');
    expect(found?.text).toBe('Call it so:\n\n```sh\nspecial-command --now\n```');
    expect(found?.heading).toBe('Long');
    const table = Array.from({ length: 2000 }, (_, i) => `| row-${i}x | value |`).join('\n');
    const row = findFragment(`# T\n\n${table}`, 'row-1000x');
    expect(row?.text).toContain('| row-1000x |');
    expect(row?.text).toContain('| row-999x |');
    expect(row?.text.length).toBeLessThanOrEqual(6_000);
  });
});

describe('headings of a markdown text', () => {
  const texts = (markdown: string) => readMarkdownLines(markdown).headings.map(({ level, text }) => `${level} ${text}`);

  it('are the marked and the underlined ones, as they are shown', () => {
    expect(texts('# A #\n\nB\n===\n\nC\n---\n\n##中文标题\n#tag\n####### seven\n## **Bold** `code` [link](x)')).toEqual(
      ['1 A', '1 B', '2 C', '2 中文标题', '2 Bold code link'],
    );
  });

  it('are never inside a fenced block or a comment', () => {
    expect(texts('```sh\n# no\n~~~\n```\n# yes')).toEqual(['1 yes']);
    expect(texts('````md\n```\n# no\n```\n````\n# yes')).toEqual(['1 yes']);
    expect(texts('- item\n  ```\n  # no\n  ```\n1. ~~~\n# no\n~~~\n# yes')).toEqual(['1 yes']);
    expect(texts('<!--\n# no\n-->\n# yes')).toEqual(['1 yes']);
    expect(texts('```\n# no end')).toEqual([]);
    expect(texts('``` not a `fence`\n# yes')).toEqual(['1 yes']);
  });

  it('are not made of rules, tables and lists', () => {
    expect(texts('a\nb\n---\n\n| a |\n---\n\n- a\n---\n\n---\n\n> a\n---')).toEqual([]);
  });
});

describe('any text and any name', () => {
  it('gives lines of the text or nothing, each time the same', () => {
    const word = fc.constantFrom('# a', '## b', '# a', '```', 'a b', '- a', '| a | b |', '', '---', 'audit it', '审计');
    const text = fc.array(word, { maxLength: 30 }).map((words) => words.join('\n'));
    const name = fc.oneof(fc.constantFrom('a', 'b', 'audit', '审计', '# a', '---'), fc.string());
    fc.assert(
      fc.property(text, name, (markdown, instruction) => {
        const found = findFragment(markdown, instruction);
        expect(findFragment(markdown, instruction)).toEqual(found);
        if (found === null) return;
        const cut = markdown.split('\n').slice(found.start_line - 1, found.end_line);
        expect(found.text).toBe(cut.join('\n'));
      }),
      { numRuns: 500 },
    );
  });
});

// Real files of public repositories, kept beside the project where it is developed; data only, never run.
const corpus = resolve(import.meta.dirname, '../../../shared/corpus');
const there = existsSync(join(corpus, 'QUIRKS.tsv'));

describe.skipIf(!there)(
  `thousands of real skills${there ? '' : ' (skipped: the corpus is not beside the project)'}`,
  () => {
    it('gives every heading of every file by its own text', { timeout: 120_000 }, () => {
      const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((path) =>
        /(^|[\\/])skill\.md$/i.test(path),
      );
      let found = 0;
      const wrong: string[] = [];
      for (const file of files) {
        const text = normalizeText(readFileSync(join(corpus, file), 'utf8'));
        const markdown = text.slice(readSkillHead(text, { folderName: 'x', badBytes: false })?.bodyStart ?? 0);
        const read = readMarkdownLines(markdown);
        const { headings } = read;
        for (const heading of headings) {
          const first = headings.find((other) => other.text === heading.text || other.source === heading.source)!;
          if (findFragment(read, heading.text)?.start_line === first.line) found += 1;
          else wrong.push(`${file}:${heading.line} ${heading.source}`);
        }
      }
      expect(wrong).toEqual([]);
      expect(found).toBeGreaterThan(40_000);
    });
  },
);
