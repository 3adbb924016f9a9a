import type { SkillNotice, SkillRow } from '../../shared/skill/skill.ts';

const weights: Readonly<Record<SkillNotice['severity'], number>> = { error: 0, warning: 1, info: 2 };

/** Notices with what weighs most first; notices of one weight keep their order. */
export function byWeight(notices: readonly SkillNotice[]): SkillNotice[] {
  return [...notices].sort((a, b) => weights[a.severity] - weights[b.severity]);
}

/** The notice that says why a row is in its state; null when its state needs no reason. */
export function reasonOf(row: Pick<SkillRow, 'state' | 'notices'>): SkillNotice | null {
  const first = (test: (notice: SkillNotice) => boolean) => row.notices.find(test) ?? null;
  switch (row.state) {
    case 'ready':
      return null;
    case 'broken':
      return first(({ severity }) => severity === 'error') ?? byWeight(row.notices)[0] ?? null;
    case 'not_eligible':
      return first(({ code }) => code.startsWith('need_')) ?? first(({ code }) => code === 'metadata_unreadable');
    case 'shadowed':
      return first(({ code }) => code === 'shadowed_by' || code === 'two_files');
    case 'disabled':
      return first(({ code }) => code === 'nested') ?? byWeight(row.notices)[0] ?? null;
  }
}

/** How many notices besides the reason a person may want to look at. */
export function otherNotices(row: Pick<SkillRow, 'state' | 'notices'>): number {
  const reason = reasonOf(row);
  return row.notices.filter((notice) => notice !== reason && notice.severity !== 'info').length;
}
