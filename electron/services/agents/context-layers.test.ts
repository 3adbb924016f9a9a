import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Chain, Step } from '../../../shared/chain/chain.ts';
import type { SkillRow } from '../../../shared/skill/skill.ts';
import { contextLayers } from './context-layers.ts';
import { planContexts } from './plan-contexts.ts';

const text = `---
name: publisher
description: publishes
---

# Publisher

Run {baseDir}/scripts/run.py or {SKILL_DIR}/scripts/run.py.

## 打包 (pack)

Make an archive of {skill_dir}.

## Upload

Send it.

## Upload

Send it elsewhere. ${'Long words about servers. '.repeat(200)}
`;

let skill: SkillRow;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'layers-'));
  skill = { name: 'publisher', folder, file: join(folder, 'SKILL.md') } as SkillRow;
  writeFileSync(skill.file, text);
});

afterEach(() => rmSync(skill.folder, { recursive: true, force: true }));

const layersOf = (skill_instruction?: string) =>
  contextLayers({ skill_name: 'publisher', ...(skill_instruction === undefined ? {} : { skill_instruction }) }, skill);

describe('what an agent can be given of a skill', () => {
  it('is the part with its lines of the file, and the whole, with the folder in the place of its name', () => {
    const { layers, instruction } = layersOf('打包');
    expect(instruction).toBe('found');
    expect(layers.map(({ layer }) => layer)).toEqual([1, 2, 3]);
    expect(layers[0]).toMatchObject({ text: '', file: null });
    expect(layers[1]).toMatchObject({
      text: `## 打包 (pack)\n\nMake an archive of ${skill.folder}.`,
      file: skill.file,
      fragment: { heading: '打包 (pack)', start_line: 10, end_line: 12 },
    });
    const lines = text.split('\n');
    expect(lines[9]).toBe('## 打包 (pack)');
    expect(layers[2]?.text).toContain(`Run ${skill.folder}/scripts/run.py or ${skill.folder}/scripts/run.py.`);
    expect(layers[2]?.text).toContain('description: publishes');
  });

  it('says when the instruction fits several parts or none', () => {
    expect(layersOf('Upload')).toMatchObject({ instruction: 'ambiguous', layers: [{}, { layer: 2 }, { layer: 3 }] });
    expect(layersOf('nothing like it')).toMatchObject({ instruction: 'not_found' });
    expect(layersOf('nothing like it').layers.map(({ layer }) => layer)).toEqual([1, 3]);
    expect(layersOf()).toMatchObject({ instruction: null });
  });

  it('leaves out a part that is the whole', () => {
    const { layers, instruction } = layersOf('Publisher');
    expect(instruction).toBe('found');
    expect(layers.map(({ layer }) => layer)).toEqual([1, 3]);
  });

  it('reads a file with Windows line ends and a byte order mark', () => {
    writeFileSync(skill.file, `\ufeff${text.replaceAll('\n', '\r\n')}`);
    expect(layersOf('打包').layers[1]).toMatchObject({
      text: `## 打包 (pack)\n\nMake an archive of ${skill.folder}.`,
      fragment: { start_line: 10, end_line: 12 },
    });
  });

  it('is nothing for a built-in skill, an empty file or one that can not be read', () => {
    expect(contextLayers({ skill_name: '(内置)', skill_instruction: 'x' }, skill).layers).toHaveLength(1);
    writeFileSync(skill.file, '\n');
    expect(layersOf('打包').layers).toHaveLength(1);
    rmSync(skill.file);
    expect(layersOf('打包')).toMatchObject({ instruction: null, layers: [{ layer: 1 }] });
  });
});

describe('the tokens of a plan', () => {
  it('grow with the layer, and only agents have any', async () => {
    const step = (id: string, more: Partial<Step>): Step => ({
      ...{ id, skill_name: 'publisher', step_name: id, action: 'pack it', depends_on: [], skill_instruction: '打包' },
      ...more,
    });
    const chain: Chain = {
      name: 'c',
      steps: [step('a', {}), step('b', { kind: 'manual' }), step('c', { skill_name: '(内置)' })],
    };
    const contexts = await planContexts(chain, { find: async () => skill });
    expect([...contexts.keys()]).toEqual(['a', 'c']);
    const { layers, instruction } = contexts.get('a')!;
    expect(instruction).toBe('found');
    const [one, two, three] = layers.map(({ tokens }) => tokens);
    expect(one).toBeGreaterThan(30);
    expect(two).toBeGreaterThan(one! + 5);
    expect(three).toBeGreaterThan(two! + 800);
    expect(layers[1]).toMatchObject({ file: skill.file, fragment: { heading: '打包 (pack)', start_line: 10 } });
    expect(contexts.get('c')).toMatchObject({ layers: [{ layer: 1 }], instruction: null });
    // The file is read again for each plan.
    writeFileSync(skill.file, text.replace('Make an archive', 'Make an archive, and then one more of them,'));
    const after = await planContexts(chain, { find: async () => skill });
    expect(after.get('a')!.layers[1]!.tokens).toBeGreaterThan(two!);
  });
});
