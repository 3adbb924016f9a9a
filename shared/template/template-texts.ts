import { defineTexts, fillText, type Locale } from '../text/texts.ts';
import type { TemplateError, TemplateErrorCode } from './template.ts';

/** What stands in the place of `expected` when it is no sign that could be written there. */
type Expected =
  | 'value'
  | 'operator'
  | 'member'
  | 'filter'
  | 'escape'
  | 'one_comparison'
  | 'end'
  | 'inputs'
  | 'whole_number'
  | 'none';

type Variant =
  | 'unexpected_end'
  | 'close'
  | 'not_allowed_get'
  | 'not_allowed_member'
  | 'not_allowed_name'
  | 'unknown_filter_default'
  | 'expected_sign';

/** What is wrong with a template or a condition, and what can be written instead. */
export const templateTexts = defineTexts<TemplateErrorCode | Variant | `expected_${Expected}`>({
  en: {
    unexpected: '"{found}" can not stand here: {expected}.',
    unexpected_end: 'It ends too early: {expected}.',
    unclosed_expression:
      'The closing braces "}}" of this expression are missing. For the two signs themselves write {{ "{{" }}.',
    unclosed_string: 'The closing quote of this text is missing.',
    unknown_filter:
      'There is no filter "{name}".{close} There are xml_escape, slugify, truncate(n), tojson and from_json.',
    unknown_filter_default: 'There is no filter "default". Write "or" instead: inputs.name or "text".',
    filter_arguments: 'The filter "{name}" takes {expected} in parentheses.',
    unknown_root:
      'There is nothing named "{name}".{close} A name is input, item or index, or starts with inputs., outputs. or vars.; a text stands in quotes.',
    close: ' Is "{close}" meant?',
    not_allowed: 'Nothing can be called in a template; values are changed with filters: value | filter.',
    not_allowed_get:
      'Nothing can be called in a template. Instead of .get("name") write .name: what does not exist is empty.',
    not_allowed_member:
      'A member is named behind a point, and only that of a name: outputs.step.field, or outputs.step.0 for the first of a list.',
    not_allowed_name: 'The name "{name}" is not allowed in a template.',
    no_statements: 'Blocks and comments ("{found}") do not exist here; a template has only expressions: {{ ... }}.',
    number_invalid:
      '"{found}" is not a number that can be written here: digits, with a point and an exponent where needed.',
    too_long: 'This is longer than {limit:character|characters}.',
    too_deep: 'Parentheses, lists, "not" and filters stand inside each other more than {limit:time|times}.',
    expected_sign: '"{sign}" is expected',
    expected_value: 'a value is expected (a name such as outputs.step, a text in quotes, a number, a list)',
    expected_operator: 'an operator is expected (== != < <= > >= in, not in, contains, and, or, |), or the end',
    expected_member: 'a name is expected behind a point, as in inputs.name',
    expected_filter: 'the name of a filter is expected',
    expected_escape: 'a backslash goes before \\ \' " / n r t b f or u with four hexadecimal digits',
    expected_one_comparison: 'only two values are compared at a time; write "and" between two comparisons',
    expected_end: 'nothing may follow the braces of a condition',
    expected_inputs: 'input is one text; the single inputs are inputs.name',
    expected_whole_number: 'nothing or one whole number',
    expected_none: 'nothing',
  },
  'zh-CN': {
    unexpected: '此处不能出现“{found}”：{expected}。',
    unexpected_end: '内容结束过早：{expected}。',
    unclosed_expression: '该表达式缺少结束的“}}”。若要写出这两个符号本身，请写 {{ "{{" }}。',
    unclosed_string: '该文本缺少结束引号。',
    unknown_filter: '没有名为“{name}”的过滤器。{close}可用的有 xml_escape、slugify、truncate(n)、tojson 和 from_json。',
    unknown_filter_default: '没有过滤器“default”。请改用“or”：inputs.name or "文本"。',
    filter_arguments: '过滤器“{name}”的括号中应为{expected}。',
    unknown_root:
      '没有名为“{name}”的变量。{close}名称为 input、item 或 index，或以 inputs.、outputs.、vars. 开头；文本须加引号。',
    close: '是否指“{close}”？',
    not_allowed: '模板中不能调用函数；请用过滤器处理值：值 | 过滤器。',
    not_allowed_get: '模板中不能调用函数。请用 .name 代替 .get("name")：不存在的内容为空。',
    not_allowed_member: '成员写在点号之后，且只能用于名称：如 outputs.step.field，列表第一项为 outputs.step.0。',
    not_allowed_name: '模板中不允许使用名称“{name}”。',
    no_statements: '此处没有语句块和注释（“{found}”）；模板只有表达式：{{ ... }}。',
    number_invalid: '“{found}”不是可用的数字：应为数字，必要时带小数点和指数。',
    too_long: '长度超过 {limit} 个字符。',
    too_deep: '括号、列表、“not”和过滤器的嵌套超过 {limit} 层。',
    expected_sign: '应为“{sign}”',
    expected_value: '应为一个值（如 outputs.step 这样的名称、带引号的文本、数字或列表）',
    expected_operator: '应为运算符（== != < <= > >= in、not in、contains、and、or、|）或结尾',
    expected_member: '点号之后应有名称，例如 inputs.name',
    expected_filter: '应为过滤器的名称',
    expected_escape: '反斜杠之后应为 \\ \' " / n r t b f，或 u 加四位十六进制数字',
    expected_one_comparison: '一次只能比较两个值；请在两个比较之间写“and”',
    expected_end: '条件的大括号之后不能再有内容',
    expected_inputs: 'input 是一段文本；各项输入为 inputs.name',
    expected_whole_number: '一个整数，或留空',
    expected_none: '空',
  },
});

/** The sentence of an error, without its place. */
export function templateErrorText(locale: Locale, error: Pick<TemplateError, 'code' | 'params'>): string {
  const texts = templateTexts[locale];
  const { params } = error;
  const close = params['close'] ? fillText(texts.close, params) : '';
  return fillText(texts[keyOf(error)], { ...params, close, expected: expectedText(locale, params['expected']) });
}

function keyOf({ code, params }: Pick<TemplateError, 'code' | 'params'>): keyof (typeof templateTexts)['en'] {
  if (code === 'unexpected' && params['found'] === '') return 'unexpected_end';
  if (code === 'unknown_filter' && params['name'] === 'default') return 'unknown_filter_default';
  if (code !== 'not_allowed') return code;
  if (params['what'] === 'member') return 'not_allowed_member';
  if (params['what'] === 'name') return 'not_allowed_name';
  return params['name'] === 'get' ? 'not_allowed_get' : 'not_allowed';
}

function expectedText(locale: Locale, expected: string | number | undefined): string {
  const texts = templateTexts[locale];
  const key = `expected_${expected}`;
  if (Object.hasOwn(texts, key)) return texts[key as keyof typeof texts];
  return fillText(texts.expected_sign, { sign: expected ?? '' });
}
