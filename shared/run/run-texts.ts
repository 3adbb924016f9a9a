import type { ErrorClass } from '../chain/chain.ts';
import { defineTexts, fillText, type Locale } from '../text/texts.ts';
import type { EndReason, RunStateName, StepStateName } from './event.ts';
import type { RerunReason, rerunVerdicts } from './reuse.ts';

/** The state of a run in words. */
export function runStateText(locale: Locale, state: RunStateName): string {
  return runStateTexts[locale][state];
}

/** The state of a step in words. */
export function stepStateText(locale: Locale, state: StepStateName): string {
  return stepStateTexts[locale][state];
}

/** Why a step or a run ended as it did, as a sentence. */
export function endReasonText(locale: Locale, reason: EndReason): string {
  return endReasonTexts[locale][reason];
}

/** What becomes of a step in a run of a part of a chain. */
export function rerunVerdictText(locale: Locale, verdict: (typeof rerunVerdicts)[number]): string {
  return rerunVerdictTexts[locale][verdict];
}

/** Why; `cause` = the step upstream that the reason is about. */
export function rerunReasonText(locale: Locale, reason: RerunReason, cause = ''): string {
  return fillText(rerunReasonTexts[locale][reason], { cause });
}

/** What kind of failure it was. */
export function errorClassText(locale: Locale, errorClass: ErrorClass): string {
  return errorClassTexts[locale][errorClass];
}

/** The label of an answer to a question; an answer that has none is shown as it is. */
export function answerText(locale: Locale, answer: string): string {
  const texts: Readonly<Record<string, string>> = answerTexts[locale];
  return texts[answer] ?? answer;
}

/**
 * A sentence for the error codes that executors make themselves; null for a code that a program reported, which
 * comes with a message of its own.
 */
export function tryErrorText(locale: Locale, code: string): string | null {
  const texts: Readonly<Record<string, string>> = tryErrorTexts[locale];
  return Object.hasOwn(texts, code) ? (texts[code] ?? null) : null;
}

const runStateTexts = defineTexts<RunStateName>({
  en: {
    running: 'Running',
    waiting: 'Waiting for you',
    succeeded: 'Succeeded',
    failed: 'Failed',
    aborted: 'Aborted',
    cancelled: 'Cancelled',
    interrupted: 'Interrupted',
  },
  'zh-CN': {
    running: '运行中',
    waiting: '等待你回答',
    succeeded: '成功',
    failed: '失败',
    aborted: '已中止',
    cancelled: '已取消',
    interrupted: '已中断',
  },
});

const stepStateTexts = defineTexts<StepStateName>({
  en: {
    pending: 'Not started',
    ready: 'Queued',
    running: 'Running',
    retrying: 'Retrying soon',
    waiting: 'Waiting for you',
    succeeded: 'Succeeded',
    failed: 'Failed',
    skipped: 'Skipped',
    substituted: 'Substituted',
    cancelled: 'Cancelled',
  },
  'zh-CN': {
    pending: '未开始',
    ready: '排队中',
    running: '运行中',
    retrying: '即将重试',
    waiting: '等待你回答',
    succeeded: '成功',
    failed: '失败',
    skipped: '已跳过',
    substituted: '已替代',
    cancelled: '已取消',
  },
});

const endReasonTexts = defineTexts<EndReason>({
  en: {
    ok: 'It ended without an error.',
    condition_false: 'Its condition was false.',
    route_not_taken: 'The run went on another way.',
    skip_if: 'Nobody had to be asked.',
    fallback_not_needed: 'The step that it stands in for did not need it.',
    substituted: 'It failed, and another step stood in for it.',
    failed_in_fan_out: 'It failed, and with it the step that it is a part of.',
    fan_out_stopped: 'It was not started because another item had failed.',
    reused: 'The result of an earlier run was used.',
    not_selected: 'It was not among the steps that were to run.',
    skipped_by_policy: 'It failed, and its failure mode is to skip it.',
    skipped_by_person: 'A person skipped it.',
    failed_milestone: 'A milestone failed, which ends the run.',
    failed_abort: 'It failed, and its failure mode is to abort the run.',
    failed_continued: 'It failed, and the run goes on all the same.',
    aborted_by_person: 'A person aborted the run after a failure.',
    run_ended: 'The run ended before it was done.',
    cancelled_by_person: 'A person stopped the run.',
    engine_stopped: 'The program ended while the run was going on.',
  },
  'zh-CN': {
    ok: '正常结束。',
    condition_false: '条件不成立。',
    route_not_taken: '运行走了另一条分支。',
    skip_if: '无需询问。',
    fallback_not_needed: '被它替代的步骤没有失败，因此无需运行。',
    substituted: '步骤失败，由替代步骤完成。',
    failed_in_fan_out: '该项失败，所属步骤随之失败。',
    fan_out_stopped: '另一项已失败，因此未启动。',
    reused: '使用了先前运行的结果。',
    not_selected: '不在本次要运行的步骤之中。',
    skipped_by_policy: '步骤失败，失败处理方式为跳过。',
    skipped_by_person: '由人跳过。',
    failed_milestone: '里程碑步骤失败，运行随之结束。',
    failed_abort: '步骤失败，失败处理方式为中止运行。',
    failed_continued: '步骤失败，但运行继续。',
    aborted_by_person: '失败后由人中止运行。',
    run_ended: '在完成之前运行已结束。',
    cancelled_by_person: '由人停止运行。',
    engine_stopped: '运行期间程序已退出。',
  },
});

const rerunVerdictTexts = defineTexts<(typeof rerunVerdicts)[number]>({
  en: { reused: 'reused', runs: 'runs again', not_selected: 'left out' },
  'zh-CN': { reused: '复用', runs: '重新运行', not_selected: '不运行' },
});

const rerunReasonTexts = defineTexts<RerunReason>({
  en: {
    unchanged: 'It succeeded, and nothing that it depends on has changed.',
    chosen: 'It was chosen.',
    depends_on_chosen: 'It depends on "{cause}", which was chosen.',
    not_succeeded_before: 'It did not succeed in the earlier run.',
    new_step: 'The earlier run did not have it.',
    step_changed: 'The step was changed since.',
    skill_changed: 'Its skill was changed since.',
    inputs_changed: 'The run is started with other inputs.',
    upstream_runs: 'It depends on "{cause}", which runs again.',
    not_selected: 'Only the chosen step runs.',
  },
  'zh-CN': {
    unchanged: '上次已成功，其依赖的内容均未改变。',
    chosen: '已选定该步骤。',
    depends_on_chosen: '依赖于选定的步骤“{cause}”。',
    not_succeeded_before: '上次运行中未成功。',
    new_step: '上次运行中没有该步骤。',
    step_changed: '该步骤之后有改动。',
    skill_changed: '其技能之后有改动。',
    inputs_changed: '本次运行的输入不同。',
    upstream_runs: '依赖于将重新运行的步骤“{cause}”。',
    not_selected: '只运行选定的步骤。',
  },
});

const errorClassTexts = defineTexts<ErrorClass>({
  en: {
    file_locked: 'a file was in use',
    network_error: 'the network failed',
    auth_error: 'access was denied',
    timeout: 'it took too long',
    other: 'another error',
  },
  'zh-CN': {
    file_locked: '文件被占用',
    network_error: '网络错误',
    auth_error: '认证或权限错误',
    timeout: '执行超时',
    other: '其他错误',
  },
});

const answerTexts = defineTexts<'retry' | 'skip' | 'abort' | 'done' | 'failed'>({
  en: { retry: 'Try again', skip: 'Skip this step', abort: 'Abort the run', done: 'Done', failed: 'It failed' },
  'zh-CN': { retry: '重试', skip: '跳过此步骤', abort: '中止运行', done: '已完成', failed: '失败了' },
});

const tryErrorTexts = defineTexts<
  | ('TIMEOUT' | 'EXIT' | 'SIGNAL' | 'SPAWN' | 'PROGRAM_NOT_FOUND' | 'MANUAL' | 'KIND_UNKNOWN' | 'INTERNAL')
  | ('USER_INPUT_CANCELLED' | 'USER_INPUT_TIMEOUT' | 'ITERABLE_INVALID' | 'CHILD_FAILED')
  | ('INVALID_OUTPUT_CHOICE' | 'OUTPUT_CONTRACT_FAILED' | 'INVALID_CLASSIFICATION')
  | 'CONTEXT_NOT_ENOUGH'
>({
  en: {
    TIMEOUT: 'The time limit of the step was over, so its programs were ended.',
    EXIT: 'The program ended with an error status.',
    SIGNAL: 'The program was ended by a signal.',
    SPAWN: 'The program could not be started.',
    PROGRAM_NOT_FOUND: 'The program was not found on this machine.',
    MANUAL: 'A person said that the step failed.',
    USER_INPUT_CANCELLED: 'A person answered with a word that cancels the step.',
    USER_INPUT_TIMEOUT: 'Nobody answered in time.',
    ITERABLE_INVALID: 'What the step goes through is no list of at most 1,000 texts, numbers or objects.',
    CHILD_FAILED: 'One of its items failed.',
    INVALID_OUTPUT_CHOICE: 'The output is none of the choices of the step.',
    OUTPUT_CONTRACT_FAILED: 'The output is not the JSON object that the step has to give.',
    CONTEXT_NOT_ENOUGH: 'The agent had the whole SKILL.md and said that it needs more.',
    INVALID_CLASSIFICATION: 'The model chose none of the labels.',
    KIND_UNKNOWN: 'This version can not carry out steps of this kind.',
    INTERNAL: 'Something went wrong inside the program.',
  },
  'zh-CN': {
    TIMEOUT: '步骤已超过时限，其程序已被结束。',
    EXIT: '程序以错误状态退出。',
    SIGNAL: '程序被信号终止。',
    SPAWN: '无法启动程序。',
    PROGRAM_NOT_FOUND: '在此计算机上找不到该程序。',
    MANUAL: '有人表示此步骤失败。',
    USER_INPUT_CANCELLED: '回答为取消词，步骤随之取消。',
    USER_INPUT_TIMEOUT: '未在时限内得到回答。',
    ITERABLE_INVALID: '要展开的内容不是列表，或超过 1,000 项，或含有文本、数字、对象以外的项。',
    CHILD_FAILED: '其中一项失败。',
    INVALID_OUTPUT_CHOICE: '输出不在步骤允许的选项之中。',
    OUTPUT_CONTRACT_FAILED: '输出不是步骤要求的 JSON 对象。',
    CONTEXT_NOT_ENOUGH: '智能体已得到完整的 SKILL.md，仍表示信息不足。',
    INVALID_CLASSIFICATION: '模型没有选择任何一个标签。',
    KIND_UNKNOWN: '此版本无法执行这种步骤。',
    INTERNAL: '程序内部出错。',
  },
});
