import type { SkillNeeds } from './front-matter.ts';
import { notice } from './notice.ts';
import type { SkillNotice } from './skill.ts';

/** What is there on this machine; passed in. */
export interface Machine {
  /** As Node names it: `linux`, `darwin`, `win32`. */
  readonly platform: string;
  /** Whether a program of this bare name is on PATH. */
  hasBin(name: string): boolean;
  hasEnv(name: string): boolean;
}

/**
 * Every need that is not met, all at once; empty = the skill is ready. The system counts even with `always`; the rest
 * does not. Order and meaning are OpenClaw's.
 */
export function unmetNeeds(needs: SkillNeeds, machine: Machine): SkillNotice[] {
  const unmet: SkillNotice[] = [];
  if (needs.os.length > 0 && !needs.os.includes(machine.platform)) {
    unmet.push(notice('warning', 'need_os', { os: needs.os.join(', ') }));
  }
  if (needs.always) return unmet;
  for (const bin of needs.bins) {
    if (isBareName(bin) && !machine.hasBin(bin)) unmet.push(notice('warning', 'need_bin', { bin }));
  }
  const checkable = needs.anyBins.filter(isBareName);
  if (
    checkable.length > 0 &&
    checkable.length === needs.anyBins.length &&
    !checkable.some((bin) => machine.hasBin(bin))
  ) {
    unmet.push(notice('warning', 'need_any_bin', { bins: checkable.join(', ') }));
  }
  for (const env of needs.env) {
    if (!machine.hasEnv(env)) unmet.push(notice('warning', 'need_env', { env }));
  }
  return unmet;
}

/** What is said about needs whatever the machine has. */
export function needsRemarks(needs: SkillNeeds): SkillNotice[] {
  const remarks = [...needs.bins, ...needs.anyBins]
    .filter((bin) => !isBareName(bin))
    .map((bin) => notice('info', 'bin_unchecked', { bin: bin.slice(0, 200) }));
  for (const config of needs.config) remarks.push(notice('info', 'config_unchecked', { config }));
  if (needs.always) remarks.push(notice('info', 'always'));
  return remarks;
}

/** A program is looked up on PATH by a bare name only; anything else is shown and never run. */
export function isBareName(bin: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/.test(bin);
}
