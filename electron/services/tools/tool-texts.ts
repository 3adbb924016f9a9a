import { AppError } from '../../../shared/errors/app-error.ts';
import type { ErrorCode } from '../../../shared/errors/error-codes.ts';
import { defineTexts, fillText, type TextParams } from '../../../shared/text/texts.ts';

type ToolTextKey = keyof (typeof toolTexts)['en'];

const toolTexts = defineTexts({
  en: {
    closest: ' Did you mean {names}?',
    silentServers: ' These servers did not say which tools they have: {names}.',
    off: 'it is turned off in the settings (http_get_tool).',
    notWeb: 'only http and https addresses without a name and password are read.',
    privateAddress: '{host} is an address of this machine or of its network.',
    notText: 'the answer is no text ({type}).',
    encoded: 'the answer is compressed ({type}), which was not asked for.',
    redirects: 'the address leads on more than {count:time|times}.',
    programMissing: 'the program "{program}" was not found.',
    notStarted: '{detail}',
    endedAtStart: 'it ended at its start ({end}).',
    endedInCall: 'it ended during the call ({end}).',
    exitCode: 'exit code {code}',
    exitSignal: 'signal {signal}',
    lost: 'the connection was lost.',
    silentAtStart: 'it timed out: no answer to "initialize" within {seconds:second|seconds}.',
    lastLine: ' Its last words: {line}',
    noise: ' It printed text that is no MCP message: {line}',
    stopped: 'it was stopped.',
  },
  'zh-CN': {
    closest: '您是否想用 {names}？',
    silentServers: '以下服务器没有说明有哪些工具：{names}。',
    off: '该工具已在设置（http_get_tool）中关闭。',
    notWeb: '只读取不含用户名和密码的 http 和 https 地址。',
    privateAddress: '{host} 是本机或其所在网络的地址。',
    notText: '应答不是文本（{type}）。',
    encoded: '应答经过压缩（{type}），而请求并未要求压缩。',
    redirects: '该地址的重定向超过 {count} 次。',
    programMissing: '找不到程序“{program}”。',
    notStarted: '{detail}',
    endedAtStart: '它在启动时结束（{end}）。',
    endedInCall: '它在调用期间结束（{end}）。',
    exitCode: '退出码 {code}',
    exitSignal: '信号 {signal}',
    lost: '连接已断开。',
    silentAtStart: '超时：{seconds} 秒内没有应答“initialize”。',
    lastLine: '它最后的输出：{line}',
    noise: '它输出了并非 MCP 消息的文本：{line}',
    stopped: '它已被停止。',
  },
});

/** A sentence that is put together from parts, in each language. */
export type Sentence = readonly (readonly [key: ToolTextKey, params?: TextParams | { readonly end: Sentence }])[];

/** An error one of whose params is a sentence of this room, in each language. */
export function toolError(
  code: ErrorCode,
  params: TextParams,
  sentence: Readonly<Record<string, Sentence>>,
  options: { readonly cause?: unknown } = {},
): AppError {
  const texts: Record<string, string> = {};
  for (const [name, parts] of Object.entries(sentence)) {
    texts[name] = written(parts, 'en');
    texts[`${name}:zh-CN`] = written(parts, 'zh-CN');
  }
  return new AppError(code, { ...params, ...texts }, {}, options);
}

function written(parts: Sentence, locale: 'en' | 'zh-CN'): string {
  return parts
    .map(([key, params = {}]) => {
      const filled = Object.entries(params).map(([name, value]) => [
        name,
        Array.isArray(value) ? written(value as unknown as Sentence, locale) : value,
      ]);
      return fillText(toolTexts[locale][key], Object.fromEntries(filled) as TextParams);
    })
    .join('');
}
