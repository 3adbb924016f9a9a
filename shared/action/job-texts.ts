import { defineTexts, fillText, type Locale } from '../text/texts.ts';
import type { ReportedError } from './manifest.ts';

/** Our own codes of a job's error; every other code comes from the program, with its own words. */
export const jobErrorTexts = defineTexts({
  en: {
    EXIT: 'The program ended with exit code {message}.',
    SIGNAL: 'The program was ended by {message}.',
    TIMEOUT: 'The program did not end within {message:second|seconds} and was stopped.',
    SPAWN: 'The program could not be started: {message}',
    INTERRUPTED: 'The application ended while the job was at work.',
    LEFT_BEHIND: '{message:process|processes} could not be ended.',
  },
  'zh-CN': {
    EXIT: '程序以退出码 {message} 结束。',
    SIGNAL: '程序被 {message} 终止。',
    TIMEOUT: '程序未在 {message} 秒内结束，已停止。',
    SPAWN: '无法启动程序：{message}',
    INTERRUPTED: '任务进行时应用已退出。',
    LEFT_BEHIND: '有 {message} 个进程无法结束。',
  },
});

/** The sentence of a job's error: ours by code, a program's as it wrote it. */
export function jobErrorText(locale: Locale, error: Pick<ReportedError, 'code' | 'message'>): string {
  const texts: Readonly<Record<string, string>> = jobErrorTexts[locale];
  const template = Object.hasOwn(texts, error.code) ? texts[error.code] : undefined;
  return template === undefined ? error.message : fillText(template, { message: error.message });
}
