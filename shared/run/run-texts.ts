import type { ErrorClass } from '../chain/chain.ts';
import { defineTexts, type Locale } from '../text/texts.ts';
import type { EndReason, RunStateName, StepStateName } from './event.ts';

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
  'TIMEOUT' | 'EXIT' | 'SIGNAL' | 'SPAWN' | 'PROGRAM_NOT_FOUND' | 'MANUAL' | 'KIND_UNKNOWN' | 'INTERNAL'
>({
  en: {
    TIMEOUT: 'The time limit of the step was over, so its programs were ended.',
    EXIT: 'The program ended with an error status.',
    SIGNAL: 'The program was ended by a signal.',
    SPAWN: 'The program could not be started.',
    PROGRAM_NOT_FOUND: 'The program was not found on this machine.',
    MANUAL: 'A person said that the step failed.',
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
    KIND_UNKNOWN: '此版本无法执行这种步骤。',
    INTERNAL: '程序内部出错。',
  },
});
