import type { NoticeCode } from './notice-texts.ts';
import type { SkillNotice } from './skill.ts';

type Params = SkillNotice['params'];

/** Makes a notice; `line` and `column` count from 1 in the file. */
export function notice(
  severity: SkillNotice['severity'],
  code: NoticeCode,
  params: Params = {},
  line?: number,
  column?: number,
): SkillNotice {
  return {
    severity,
    code,
    params,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
}
