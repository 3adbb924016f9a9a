import type { Step } from '../../../shared/chain/chain.ts';
import { isBuiltInSkill } from '../../../shared/chain/chain.ts';
import { type Fragment, findFragment } from '../../../shared/skill/fragment.ts';
import { readSkillHead } from '../../../shared/skill/front-matter.ts';
import type { SkillRow } from '../../../shared/skill/skill.ts';
import { readSkillText } from '../skills/read-head.ts';

/** How much of the skill an agent is given: 1 nothing, 2 the part that `skill_instruction` names, 3 all of SKILL.md. */
export interface ContextLayer {
  readonly layer: 1 | 2 | 3;
  /** What of SKILL.md is given; empty for the first. */
  readonly text: string;
  /** The file it is from; null for the first. */
  readonly file: string | null;
  /** Where the part is, in lines of the file; only for the second. */
  readonly fragment: Omit<Fragment, 'text'> | null;
  /** The file goes on where reading it ended. */
  readonly truncated: boolean;
}

export interface ContextLayers {
  /** At least the first, in order; a layer that would give nothing new is left out. */
  readonly layers: readonly ContextLayer[];
  /** How `skill_instruction` fits the file; null when there is none or no file. */
  readonly instruction: 'found' | 'ambiguous' | 'not_found' | null;
}

const first: ContextLayer = { layer: 1, text: '', file: null, fragment: null, truncated: false };

/** What can be given of a step's skill. A skill that is built in, missing or can not be read has the first layer only. */
export function contextLayers(
  step: Pick<Step, 'skill_name' | 'skill_instruction'>,
  skill: Pick<SkillRow, 'file' | 'folder'> | null,
): ContextLayers {
  const read = skill === null || isBuiltInSkill(step.skill_name) ? null : readOrNone(skill.file);
  if (skill === null || read === null || read.text.trim() === '') return { layers: [first], instruction: null };
  const { file, folder } = skill;
  const text = withFolder(read.text, folder);
  const whole: ContextLayer = { layer: 3, text: text.trim(), file, fragment: null, truncated: read.truncated };
  const wanted = step.skill_instruction?.trim() ?? '';
  if (wanted === '') return { layers: [first, whole], instruction: null };
  const bodyStart = readSkillHead(text, { folderName: '', badBytes: false })?.bodyStart ?? 0;
  const found = findFragment(text.slice(bodyStart), wanted);
  if (found === null) return { layers: [first, whole], instruction: 'not_found' };
  const instruction = found.ambiguous ? 'ambiguous' : 'found';
  const body = text.slice(bodyStart).trim();
  if (found.text.trim() === body) return { layers: [first, whole], instruction };
  const linesAbove = text.slice(0, bodyStart).split('\n').length - 1;
  const { text: partText, ...place } = found;
  const fragment = {
    ...place,
    start_line: place.start_line + linesAbove,
    end_line: place.end_line + linesAbove,
  };
  return { layers: [first, { layer: 2, text: partText, file, fragment, truncated: false }, whole], instruction };
}

function readOrNone(file: string): { text: string; truncated: boolean } | null {
  try {
    return readSkillText(file);
  } catch {
    return null;
  }
}

/** `{baseDir}` is how OpenClaw's skills name their folder, `{SKILL_DIR}` how skill-sub's do. */
function withFolder(text: string, folder: string): string {
  return text.replaceAll(/\{(?:baseDir|SKILL_DIR|skill_dir)\}/g, () => folder);
}
