import { defineTexts, fillText, type Locale, type TextParams } from '../text/texts.ts';
import type { ClarifyCode } from './clarify-answer.ts';

/** Why an answer to a `user_input` step can not be used, as a sentence. */
export function clarifyProblemText(locale: Locale, code: ClarifyCode, params: TextParams): string {
  return fillText(clarifyTexts[locale][code], params);
}

const clarifyTexts = defineTexts<ClarifyCode>({
  en: {
    INPUT_REQUIRED: 'an answer is needed',
    INVALID_JSON: 'it is not JSON',
    INVALID_SHAPE: 'it has to be a JSON object with one value per field',
    REQUIRED_FIELD_MISSING: 'the field "{field}" is needed',
    INVALID_TYPE: 'the field "{field}" has to be of type {type}',
    MIN_LENGTH: 'the field "{field}" needs at least {limit:character|characters}',
    MAX_LENGTH: 'the field "{field}" may have at most {limit:character|characters}',
    INVALID_OPTION: 'the field "{field}" has to be one of: {options}',
    MIN: 'the field "{field}" has to be at least {limit}',
    MAX: 'the field "{field}" may be at most {limit}',
  },
  'zh-CN': {
    INPUT_REQUIRED: '需要填写回答',
    INVALID_JSON: '不是有效的 JSON',
    INVALID_SHAPE: '应为 JSON 对象，每个字段对应一个值',
    REQUIRED_FIELD_MISSING: '字段“{field}”为必填项',
    INVALID_TYPE: '字段“{field}”的类型应为 {type}',
    MIN_LENGTH: '字段“{field}”至少需要 {limit} 个字符',
    MAX_LENGTH: '字段“{field}”最多 {limit} 个字符',
    INVALID_OPTION: '字段“{field}”应为以下之一：{options}',
    MIN: '字段“{field}”不得小于 {limit}',
    MAX: '字段“{field}”不得大于 {limit}',
  },
});
