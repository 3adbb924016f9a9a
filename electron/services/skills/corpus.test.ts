import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { noticeText, noticeTexts } from '../../../shared/skill/notice-texts.ts';
import type { SkillRow, SkillScan } from '../../../shared/skill/skill.ts';
import { silentLog } from '../log.ts';
import { createSkillLibrary } from './skill-library.ts';

// Real files of public repositories, kept beside the project where it is developed; data only, never run.
const corpus = resolve(import.meta.dirname, '../../../../shared/corpus');
const there = existsSync(join(corpus, 'QUIRKS.tsv'));

describe.skipIf(!there)(
  `thousands of real skills${there ? '' : ' (skipped: the corpus is not beside the project)'}`,
  () => {
    let scan: SkillScan;
    let rows: Map<string, SkillRow>;

    beforeAll(async () => {
      const library = createSkillLibrary({
        homeDir: join(corpus, 'no-such-home'),
        skillsHome: join(corpus, 'no-such-home', 'skills'),
        settings: { values: () => ({ skill_folders: [corpus] }), onChange: () => () => undefined },
        log: silentLog,
        env: { PATH: process.env['PATH'] },
      });
      scan = await library.scan();
      await library.dispose();
      rows = new Map(scan.rows.map((row) => [relative(corpus, row.file).replaceAll('\\', '/'), row]));
    }, 120_000);

    it('gives every file one row, and the counts add up', () => {
      const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' })
        .filter((path) => /(^|[\\/])skill\.md$/i.test(path))
        .map((path) => path.replaceAll('\\', '/'));
      expect(files.length).toBeGreaterThan(3_600);
      expect([...rows.keys()].sort()).toEqual(files.sort());
      expect(scan.counts.found).toBe(files.length);
      expect(Object.values(scan.counts.by_state).reduce((a, b) => a + b, 0)).toBe(files.length);
      const codes = new Map<string, number>();
      for (const row of scan.rows) {
        for (const code of new Set(row.notices.map((notice) => `${notice.severity} ${notice.code}`))) {
          codes.set(code, (codes.get(code) ?? 0) + 1);
        }
      }
      console.table({ found: scan.counts.found, ...scan.counts.by_state });
      console.table(Object.fromEntries([...codes].sort(([a], [b]) => (a < b ? -1 : 1))));
    });

    it('says in both languages why a file is broken, and only then', () => {
      for (const [path, row] of rows) {
        const errors = row.notices.filter(({ severity }) => severity === 'error');
        expect(row.state === 'broken', path).toBe(errors.length > 0);
        expect(row.name, path).not.toBe('');
        for (const notice of row.notices) {
          expect(Object.hasOwn(noticeTexts.en, notice.code), notice.code).toBe(true);
          expect(noticeText('zh-CN', notice), notice.code).not.toMatch(/\{\w+\}/);
        }
      }
    });

    it('loads every file that the most used loader loads, under the same name', () => {
      const lines = readFileSync(join(corpus, 'QUIRKS.tsv'), 'utf8').split('\n').slice(1);
      let compared = 0;
      for (const line of lines) {
        const [path = '', flags = '', name = '', loader = ''] = line.split('\t');
        const row = rows.get(path);
        if (path === '' || loader !== 'ok') continue;
        compared += 1;
        expect(row, path).toBeDefined();
        if (flags.includes('bytes:>256000')) expect(row?.notices.map(({ code }) => code)).toContain('too_large');
        else {
          expect(row?.state, path).not.toBe('broken');
          expect(row?.name, path).toBe(name === '' ? row?.name : name.normalize('NFC'));
          expect(row?.description, path).not.toBe('');
        }
      }
      expect(compared).toBeGreaterThan(3_000);
    });

    it('recovers every description whose only fault is a colon', () => {
      const lines = readFileSync(join(corpus, 'QUIRKS.tsv'), 'utf8').split('\n').slice(1);
      const faulty = lines
        .map((line) => line.split('\t'))
        .filter(([, flags]) => flags?.split(',').includes('yaml:unquoted-colon-description'));
      for (const [path = ''] of faulty) {
        const row = rows.get(path);
        expect(row?.description, path).toContain(':');
        expect(
          row?.notices.map(({ code }) => code),
          path,
        ).toContain('recovered');
      }
    });

    it('hides all but one of the skills of one name', () => {
      const usable = scan.rows.filter(({ state }) => state === 'ready' || state === 'not_eligible');
      const names = usable.map(({ name }) => name.normalize('NFC').toLowerCase());
      expect(new Set(names).size).toBe(names.length);
      const ids = new Set(scan.rows.map(({ id }) => id));
      expect(ids.size).toBe(scan.rows.length);
      for (const row of scan.rows) if (row.state === 'shadowed') expect(ids.has(row.shadowed_by ?? '')).toBe(true);
    });
  },
);
