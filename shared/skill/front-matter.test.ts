import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMap, isScalar, isSeq, type Node, parse, parseDocument } from 'yaml';
import { type HeadFacts, readSkillHead, type SkillHead, splitTools } from './front-matter.ts';
import { readFields } from './yaml-fields.ts';

function read(text: string, facts: Partial<HeadFacts> = {}): SkillHead {
  const head = readSkillHead(text, { folderName: 'demo', ...facts });
  if (head === null) throw new Error('asked for more text');
  return head;
}

function codes(head: SkillHead): string[] {
  return head.notices.map(({ severity, code, line }) => `${severity} ${code}${line === undefined ? '' : `:${line}`}`);
}

const field = (head: SkillHead, key: string) => head.fields.find((candidate) => candidate.key === key)?.value;
const good = '---\nname: demo\ndescription: Draws maps\n---\n\n# Demo\n';

describe('a good file', () => {
  it('gives name, description and the start of the body, and nothing to say', () => {
    const head = read(good);
    expect(head).toMatchObject({ name: 'demo', description: 'Draws maps', broken: false, notices: [] });
    expect(good.slice(head.bodyStart)).toBe('\n# Demo\n');
  });

  it('reads the same with CRLF, with lone CR and behind a byte order mark', () => {
    for (const text of [good.replaceAll('\n', '\r\n'), good.replaceAll('\n', '\r')]) {
      expect(read(text)).toMatchObject({ name: 'demo', description: 'Draws maps', notices: [] });
    }
    const head = read(`\ufeff${good}`);
    expect(head).toMatchObject({ name: 'demo', broken: false });
    expect(codes(head)).toEqual(['info byte_order_mark']);
  });

  it('strips only one byte order mark', () => {
    expect(read(`\ufeff\ufeff${good}`).broken).toBe(true);
  });
});

describe('rule 2: bytes that are not UTF-8 are said', () => {
  it('loads the file with a warning', () => {
    expect(codes(read(good, { badBytes: true }))).toEqual(['warning bad_bytes']);
  });
});

describe('rule 4: what may stand before the opening fence', () => {
  it('accepts blank lines and comments with a warning', () => {
    expect(codes(read(`\n\n${good}`))).toEqual(['warning blank_before_fence:1']);
    expect(codes(read(`<!-- a\nb -->\n${good}`))).toEqual(['warning comment_before_fence:1']);
    expect(codes(read(`<!-- a --><!-- b -->\n\n${good}`))).toEqual(['warning comment_before_fence:1']);
  });

  it('accepts spaces behind the fences', () => {
    expect(read('---  \nname: demo\ndescription: x\n--- \t\nbody').notices).toEqual([]);
  });

  it.each([
    ['# Hello\n\nIt draws maps.\n', 'no_front_matter:1'],
    ['name: demo\ndescription: x\n', 'no_fences:1'],
    ['```yaml\n---\nname: demo\n---\n```\n', 'in_code_fence:1'],
    ['test\n---\nname: demo\ndescription: x\n---\n', 'text_before:1'],
    ['---js\nrequire("fs").writeFileSync("marker", "")\n---\n', 'fence_not_plain:1'],
    ['---yaml\nname: demo\n---\n', 'fence_not_plain:1'],
    ['+++\nname = "demo"\n+++\n', 'toml_front_matter:1'],
    ['<<<<<<< HEAD\n---\nname: demo\n---\n', 'merge_conflict:1'],
    ['', 'empty_file'],
    ['\n \n', 'empty_file'],
    ['\u007fELF\u0001\0\0\0', 'binary:1'],
  ])('lists %j as broken with its own reason', (text, code) => {
    const head = read(text);
    expect(head.broken).toBe(true);
    expect(codes(head)).toEqual([`error ${code}`]);
    expect(head.name).toBe('demo');
  });

  it('shows the first paragraph of a file without front matter as a preview', () => {
    expect(read('# Hello\n\nIt draws\nmaps.\n').description).toBe('It draws maps.');
  });
});

describe('rule 5: where the block ends', () => {
  it('takes an indented fence, a fence glued to text, or the line before a heading, each with a warning', () => {
    const indented = read('---\nname: demo\ndescription: x\n  ---\nbody');
    expect(indented).toMatchObject({ description: 'x', broken: false });
    expect(codes(indented)).toEqual(['warning fence_indented:4']);
    const glued = read('---\nname: demo\ndescription: x\n---# Title\nbody');
    expect(glued).toMatchObject({ description: 'x', broken: false });
    expect(codes(glued)).toEqual(['warning fence_glued:4']);
    const before = read('---\nname: demo\ndescription: x\n---# Title\nbody\n---\nmore');
    expect(before).toMatchObject({ description: 'x', broken: false });
    expect(codes(before)).toEqual(['warning fence_glued:4']);
    const missing = read('---\nname: demo\ndescription: x\n\n# Title\nbody: no\n');
    expect(missing).toMatchObject({ description: 'x', broken: false });
    expect(codes(missing)).toEqual(['warning fence_missing:5']);
  });

  it('ends at the first line that can not be YAML when there is neither fence nor heading', () => {
    const head = read('---\nname: demo\ndescription: x\nThis skill draws maps.\nnote: not a field\n');
    expect(head.fields.map(({ key }) => key)).toEqual(['name', 'description']);
    expect(head.broken).toBe(false);
  });

  it('does not end at "---" inside a value or behind other text', () => {
    const head = read('---\nname: demo\ndescription: a --- b\nnotes: |\n  ----\n  x ---\n---\nbody');
    expect(head.notices).toEqual([]);
    expect(field(head, 'notes')).toBe('----\nx ---\n');
  });

  it('leaves a second front matter in the body alone', () => {
    const text = `${good}---\nname: other\n---\n`;
    expect(read(text)).toMatchObject({ name: 'demo', notices: [] });
  });

  it('asks for the whole text when the end is not in the part it was given', () => {
    for (let cut = 1; cut < good.indexOf('\n---\n', 4) + 4; cut += 1) {
      expect(readSkillHead(good.slice(0, cut), { folderName: 'demo', partial: true }), `cut at ${cut}`).toBeNull();
    }
    expect(readSkillHead(good, { folderName: 'demo', partial: true })?.name).toBe('demo');
    expect(readSkillHead('# Title\nfirst part', { folderName: 'demo', partial: true })?.broken).toBe(true);
  });
});

describe('rule 6: YAML as text, aliases off, the first of two keys', () => {
  it.each(['3000', 'yes', '1e3', '0x10', 'true', 'null', '1.10', '2026-01-05', '~'])(
    'keeps the name %s as written',
    (name) => {
      expect(read(`---\nname: ${name}\ndescription: x\n---\n`).name).toBe(name);
    },
  );

  it('keeps a version as written', () => {
    expect(read('---\nname: demo\ndescription: x\nversion: 1.10\n---\n').version).toBe('1.10');
  });

  it('takes the first of two equal keys and says so', () => {
    const head = read('---\nname: demo\ndescription: one\ndescription: two\n---\nx');
    expect(head.description).toBe('one');
    expect(codes(head)).toEqual(['warning duplicate_key:4']);
  });

  it('never resolves an alias', () => {
    const head = read('---\nname: demo\nbase: &base {a: 1}\ndescription: *base\n---\nx');
    expect(head.description).toBe('*base');
    expect(codes(head)).toContain('warning alias_as_text:4');
    const bold = read('---\nname: demo\ndescription: **Bold** text: here\n---\nx');
    expect(bold).toMatchObject({ description: '**Bold** text: here', broken: false });
  });

  it('survives a block that is nested thousands of levels deep, and a bomb of aliases', () => {
    const deep = read(`---\nname: demo\ndescription: x\nmetadata: ${'['.repeat(20_000)}\n---\nx`);
    expect(deep).toMatchObject({ name: 'demo', description: 'x' });
    expect(deep.needs.unreadable).toBe(true);
    for (const value of ['["]", '.repeat(20_000), `\n${'- '.repeat(20_000)}x`, `\n  ${'? '.repeat(20_000)}x`]) {
      expect(read(`---\nname: demo\nmetadata: ${value}\n---\nx`).name).toBe('demo');
    }
    const stairs = Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n');
    expect(read(`---\nname: demo\n${stairs}\n---\nx`).name).toBe('demo');
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (let i = 98; i < 110; i += 1) {
      const [name, before] = [String.fromCharCode(i), String.fromCharCode(i - 1)];
      bomb.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`);
    }
    expect(read(`---\nname: demo\ndescription: x\n${bomb.join('\n')}\n---\nx`).name).toBe('demo');
  });

  it('reads block texts as YAML says', () => {
    expect(read('---\nname: demo\ndescription: >-\n  one\n  two\n---\nx').description).toBe('one two');
    expect(read('---\nname: demo\ndescription: |\n  one\n  two\n---\nx').description).toBe('one\ntwo');
  });

  it('says that text behind " #" was left out', () => {
    const head = read('---\nname: demo\ndescription: draws #1 maps\n---\nx');
    expect(head.description).toBe('draws');
    expect(codes(head)).toEqual(['warning comment_cuts_value:3']);
  });
});

describe('rule 7: recovery loses no field', () => {
  it('keeps a description with a colon, and every other field', () => {
    const head = read(
      '---\nname: demo\ndescription: Draws maps. Note: needs a key\nallowed-tools: Read\nversion: 1.2\n---\nx',
    );
    expect(head).toMatchObject({
      description: 'Draws maps. Note: needs a key',
      allowedTools: ['Read'],
      version: '1.2',
      broken: false,
    });
    expect(codes(head)).toEqual(['warning recovered:3']);
  });

  it('runs a value to the next key', () => {
    const head = read('---\nname: demo\ndescription: "one\ntwo: three\n four"\nversion: 1\n---\nx');
    expect(head.broken).toBe(false);
    expect(head.version).toBe('1');
    expect(head.description).toContain('one');
  });

  it('reads metadata in the first column, with trailing commas', () => {
    const head = read(
      '---\nname: demo\ndescription: x\nmetadata:\n{\n"openclaw": {"emoji": "🎨", "requires": {"bins": ["a"]},},\n}\n---\nx',
    );
    expect(head).toMatchObject({ emoji: '🎨', broken: false });
    expect(head.needs.bins).toEqual(['a']);
    expect(codes(head)).toEqual(['warning column_zero_json:4']);
  });

  it('reads metadata on its own when another key is no YAML', () => {
    const head = read(
      '---\nname: demo\ndescription: a: b: c\nmetadata:\n  {\n    // note\n    "openclaw": { "os": ["darwin"], },\n  }\n---\nx',
    );
    expect(head.needs).toMatchObject({ os: ['darwin'], unreadable: false });
  });

  it('allows no tool when the list of tools can not be read', () => {
    const head = read('---\nname: demo\ndescription: x\nallowed-tools: {a: [b]}\n---\nx');
    expect(head.allowedTools).toEqual([]);
    expect(codes(head)).toEqual(['warning tools_unreadable:4']);
    expect(read(good).allowedTools).toBeNull();
  });

  it('does not know the needs of a skill whose metadata can not be read', () => {
    const head = read('---\nname: demo\ndescription: x\nmetadata: {"openclaw": {"os": [}\n---\nx');
    expect(head.needs.unreadable).toBe(true);
    expect(codes(head)).toContain('warning metadata_unreadable:4');
  });

  it('names the line of a full-width colon and does not guess', () => {
    const head = read('---\nname: demo\ndescription：画地图\n---\nx');
    expect(head.broken).toBe(true);
    expect(codes(head)).toContain('warning fullwidth_colon:3');
  });

  it('refuses merge conflict marks by name', () => {
    const head = read('---\nname: demo\n<<<<<<< HEAD\ndescription: a\n=======\ndescription: b\n>>>>>>> x\n---\nx');
    expect(head.broken).toBe(true);
    expect(codes(head)).toContain('error merge_conflict:3');
    expect(head.name).toBe('demo');
  });

  it('reads tabs used as indentation', () => {
    const head = read('---\nname: demo\ndescription: x\nmetadata:\n\topenclaw:\n\t\temoji: a\n---\nx');
    expect(head).toMatchObject({ name: 'demo', description: 'x' });
    expect(head.needs.unreadable).toBe(true);
  });
});

describe('rule 8: metadata in all its forms', () => {
  const withMetadata = (metadata: string) => read(`---\nname: demo\ndescription: x\nmetadata: ${metadata}\n---\nx`);

  it.each([
    ['one line of JSON', '{"openclaw":{"emoji":"E","requires":{"bins":["git"]}}}'],
    ['a YAML block', '\n  openclaw:\n    emoji: E\n    requires:\n      bins: [git]'],
    ['JSON over lines', '\n  {\n    "openclaw": { "emoji": "E", "requires": { "bins": ["git"] } }\n  }'],
    ['JSON in a string', `'{"openclaw":{"emoji":"E","requires":{"bins":["git"]}}}'`],
    ['JSON5 in a string', `"{openclaw: {emoji: 'E', requires: {bins: ['git'],},},}"`],
    ['the old name clawdbot', '{"clawdbot":{"emoji":"E","requires":{"bins":["git"]}}}'],
    ['the old name moltbot', '{"moltbot":{"emoji":"E","requires":{"bins":"git"}}}'],
    ['the old name clawdis', '{"clawdis":{"emoji":"E","requires":{"bins":["git"]}}}'],
  ])('reads %s', (_form, metadata) => {
    const head = withMetadata(metadata);
    expect(head.emoji).toBe('E');
    expect(head.needs.bins).toEqual(['git']);
    expect(head.notices).toEqual([]);
  });

  it('never merges two blocks', () => {
    const head = withMetadata('{"clawdbot":{"emoji":"old","os":["linux"]},"openclaw":{"emoji":"new"}}');
    expect(head).toMatchObject({ emoji: 'new', needs: { os: [] } });
    expect(codes(head)).toEqual(['info two_namespaces:4']);
  });

  it('reads flat keys with a warning', () => {
    const head = withMetadata('{"requires":{"bins":["git"]}}');
    expect(head.needs.bins).toEqual(['git']);
    expect(codes(head)).toEqual(['warning flat_metadata:4']);
  });

  it('takes the names of objects, and says so', () => {
    const head = withMetadata('{"openclaw":{"requires":{"env":[{"name":"KEY","description":"x"}]}}}');
    expect(head.needs.env).toEqual(['KEY']);
    expect(codes(head)).toEqual(['warning requires_objects:4']);
  });

  it.each(['[{"KEY":"an API key"}]', '{"KEY":"required"}'])('takes the keys of %s', (env) => {
    expect(withMetadata(`{"openclaw":{"requires":{"env":${env}}}}`).needs).toMatchObject({
      env: ['KEY'],
      unreadable: false,
    });
  });

  it('does not know a need that it can not read', () => {
    expect(withMetadata('{"openclaw":{"requires":{"bins":[["git"]]}}}').needs.unreadable).toBe(true);
    expect(withMetadata('{"openclaw":{"requires":{"config":[{"path":"a","type":"b"}]}}}').needs.unreadable).toBe(false);
  });

  it('does not gate on a list, and says so', () => {
    const head = withMetadata('{"openclaw":{"requires":["git"]}}');
    expect(head.needs).toMatchObject({ bins: [], unreadable: false });
    expect(codes(head)).toEqual(['warning requires_list:4']);
  });

  it('spells systems as Node does', () => {
    expect(withMetadata('{"openclaw":{"os":["macos","mac","windows","linux"]}}').needs.os).toEqual([
      'darwin',
      'darwin',
      'win32',
      'linux',
    ]);
  });
});

describe('rule 9: names', () => {
  it('falls back to the folder with a warning', () => {
    const head = read('---\ndescription: x\n---\nx', { folderName: '动量策略' });
    expect(head.name).toBe('动量策略');
    expect(codes(head)).toEqual(['warning name_missing:2']);
  });

  it('is in NFC and without invisible characters at its ends', () => {
    expect(read('---\nname: "\u200be\u0301tude\u00a0"\ndescription: x\n---\nx').name).toBe('étude');
  });

  it.each(['a\u202eb', 'a\u0007b', 'a\u2066b', 'a\u2028b'])(
    'refuses control and direction characters and shows them escaped',
    (name) => {
      const head = read(`---\nname: ${JSON.stringify(name)}\ndescription: x\n---\nx`);
      expect(head.broken).toBe(true);
      expect(head.name).toMatch(/^a\\u\{[0-9a-f]+\}b$/);
      expect(head.notices.some(({ code }) => code === 'name_unsafe')).toBe(true);
    },
  );

  it.each(['Upper Case', '中文 技能', 'a/b: "c"', '../../x', 'CON'])('allows %s as a shown name', (name) => {
    const head = read(`---\nname: ${JSON.stringify(name)}\ndescription: x\n---\nx`);
    expect(head).toMatchObject({ name, broken: false });
  });
});

describe('descriptions', () => {
  it('is broken without one', () => {
    for (const line of ['', 'description:\n', 'description: ""\n', 'description: "  "\n']) {
      const head = read(`---\nname: demo\n${line}---\nx`);
      expect(head.broken).toBe(true);
      expect(head.notices.map(({ code }) => code)).toContain('description_missing');
    }
  });

  it('takes a list as written, with a warning', () => {
    const head = read('---\nname: demo\ndescription: [TODO: say what it does]\n---\nx');
    expect(head).toMatchObject({ description: '[TODO: say what it does]', broken: false });
    expect(codes(head)).toEqual(['warning description_not_text:3']);
  });

  it('keeps a long one whole', () => {
    const long = '长'.repeat(3000);
    const head = read(`---\nname: demo\ndescription: ${long}\n---\nx`);
    expect(head.description).toBe(long);
    expect(codes(head)).toEqual(['info description_long:3']);
  });
});

it('splits tools at commas and spaces outside brackets', () => {
  expect(splitTools('Read, Bash(git commit:*) Bash(curl:*),Write')).toEqual([
    'Read',
    'Bash(git commit:*)',
    'Bash(curl:*)',
    'Write',
  ]);
});

it('says that there is no body', () => {
  expect(codes(read('---\nname: demo\ndescription: x\n---\n \n'))).toEqual(['info body_empty']);
});

describe('properties', () => {
  // Lines of every kind that front matter holds, right and wrong.
  const value = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.json({ maxDepth: 3 }),
    fc.constantFrom(
      'a: b',
      "'it''s'",
      '"q\\n"',
      '|',
      '>',
      '*x',
      '&y z',
      '- a',
      '[a, b',
      '{',
      '# c',
      'x # y',
      '~',
      '',
      '\t',
    ),
  );
  const key = fc.constantFrom(
    'name',
    'description',
    'metadata',
    'version',
    'allowed-tools',
    'os',
    'name ',
    '__proto__',
    '- x',
    'constructor',
  );
  const line = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(key, value).map(([k, v]) => `${k}: ${v}`) },
    { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
    { weight: 1, arbitrary: value.map((v) => `  ${v}`) },
  );
  const block = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));

  it('reads anything without throwing, and gives a name and a verdict', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          block.map((text) => `---\n${text}\n---\nbody`),
          fc.string({ maxLength: 200 }),
        ),
        (text) => {
          const head = read(text);
          expect(head.name).not.toBe('');
          expect(head.broken).toBe(head.notices.some(({ severity }) => severity === 'error'));
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('reads simple blocks exactly as YAML does', () => {
    const scalar = fc.oneof(
      fc.stringMatching(/^[A-Za-z0-9一-龥][A-Za-z0-9 .,/()一-龥'"#:-]{0,30}$/),
      fc.string({ maxLength: 20 }).map((text) => JSON.stringify(text)),
      fc.string({ maxLength: 20 }).map((text) => `'${text.replaceAll("'", "''").replace(/[^ -~]/g, '')}'`),
      fc.object({ maxDepth: 3, values: [fc.string(), fc.boolean(), fc.constant(null)] }).map((o) => JSON.stringify(o)),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^[A-Za-z][\w-]{0,8}$/), { minLength: 1, maxLength: 5 }),
        fc.array(scalar, { minLength: 5, maxLength: 5 }),
        (keys, values) => {
          const text = keys.map((k, i) => `${k}: ${values[i]}`).join('\n');
          let expected: Record<string, unknown>;
          try {
            expected = parse(text, { schema: 'failsafe' }) as Record<string, unknown>;
          } catch {
            return;
          }
          if (/(^|\s)[*&][^\s]/.test(text)) return;
          const { fields } = readFields(text, 2);
          expect(fields.map(({ key: k }) => k)).toEqual(Object.keys(expected));
          for (const { key: k, value: v } of fields) expect(plain(v), k).toEqual(plain(expected[k]));
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('reads nested blocks, lists and block texts exactly as YAML does, with the text as it stands', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9一-龥][A-Za-z0-9 ./()一-龥'"#:,-]{0,12}$/);
    const scalar = fc.oneof(
      word,
      fc.constantFrom(
        '~',
        'null',
        'true',
        '1.10',
        '[a, b-c, 1.0]',
        '[]',
        '{"a": "b"}',
        "'x'",
        '"y: z"',
        '- a',
        'a:',
        '',
      ),
    );
    const pad = (depth: number, width: number) => ' '.repeat(depth * width);
    const { block } = fc.letrec<{ block: (depth: number, width: number) => string }>((tie) => ({
      block: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        scalar.map((text) => () => ` ${text}`),
        fc
          .tuple(
            fc.constantFrom('|', '>', '|-', '>-', '|+', '>2'),
            fc.array(fc.oneof(word, fc.constantFrom('', '  in', '# no', 'a ')), { maxLength: 3 }),
          )
          .map(
            ([header, texts]) =>
              (depth: number, width: number) =>
                [` ${header}`, ...texts.map((text) => (text === '' ? '' : pad(depth, width) + text))].join('\n'),
          ),
        fc.tuple(fc.boolean(), fc.array(scalar, { minLength: 1, maxLength: 3 })).map(
          ([flat, items]) =>
            (depth: number, width: number) =>
              ['', ...items.map((item) => `${pad(flat ? depth - 1 : depth, width)}- ${item}`)].join('\n'),
        ),
        fc
          .tuple(
            fc.uniqueArray(fc.stringMatching(/^[A-Za-z][\w-]{0,4}$/), { minLength: 1, maxLength: 3 }),
            fc.array(tie('block'), { minLength: 3, maxLength: 3 }),
          )
          .map(
            ([keys, values]) =>
              (depth: number, width: number) =>
                ['', ...keys.map((key, at) => `${pad(depth, width)}${key}:${values[at]!(depth + 1, width)}`)].join(
                  '\n',
                ),
          ),
      ),
    }));
    const keys = fc.uniqueArray(fc.stringMatching(/^[A-Za-z][\w-]{0,4}$/), { minLength: 3, maxLength: 3 });
    let read = 0;
    fc.assert(
      fc.property(
        keys,
        fc.array(block, { minLength: 3, maxLength: 3 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('', '\n', '\n\n'),
        (names, values, width, end) => {
          const text = names.map((name, at) => `${name}:${values[at]!(1, width)}`).join('\n') + end;
          const document = parseDocument(text, { schema: 'failsafe', uniqueKeys: false, logLevel: 'silent' });
          if (document.errors.length > 0 || !isMap(document.contents)) return;
          const doubled = document.contents.items.length !== new Set(names).size;
          if (doubled || /(^|\s)[*&!][^\s]/.test(text)) return;
          read += 1;
          const expected = document.contents.items.map(({ key, value }) => {
            const node = value as Node | null;
            const [from, to] = node?.range ?? [0, 0];
            return { key: String(key), value: plain(nodeValue(node)), raw: text.slice(from, to).trim() };
          });
          const { fields } = readFields(text, 2);
          expect(fields.map(({ key, value, raw }) => ({ key, value: plain(value), raw }))).toEqual(expected);
        },
      ),
      { numRuns: 3000 },
    );
    // Most of what is made up is YAML; a test that skips everything would say nothing.
    expect(read).toBeGreaterThan(1000);
  });
});

/** Null, `~` and the empty text are one thing to a reader of front matter. */
function plain(value: unknown): unknown {
  if (value === null || value === 'null' || value === '~' || value === 'Null' || value === 'NULL') return '';
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value as object).map(([k, v]) => [k, plain(v)]));
  return value;
}

/** A node as text, lists and maps; a plain scalar as it is written, of two equal keys the first. */
function nodeValue(node: Node | null): unknown {
  if (isSeq(node)) return node.items.map((item) => nodeValue(item as Node | null));
  if (isMap(node)) {
    const entries = node.items.map(({ key, value }) => [String(key), nodeValue(value as Node | null)] as const);
    return Object.fromEntries(entries.reverse());
  }
  if (!isScalar(node)) return null;
  return node.type === 'PLAIN' ? String(node.source) : String(node.value);
}
