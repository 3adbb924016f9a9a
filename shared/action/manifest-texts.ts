import { defineTexts, fillText, type Locale, type TextParams } from '../text/texts.ts';

/** Findings of the manifest's lint. */
export const manifestTexts = defineTexts({
  en: {
    // the file
    json_broken: 'Not valid JSON: {detail}',
    too_large: 'The manifest has {size_kb} KB; the limit is {limit_kb} KB.',
    file_unreadable: 'The manifest can not be read: {detail}',
    not_object: 'It has to be an object.',
    duplicate_key: 'The key "{key}" is there twice; the last one is used.',
    schema_version: 'Unknown schemaVersion {found}; this version reads 1.',
    skill_missing: '"skill" is missing: it names the skill by its metadata.openclaw.slug.',
    skill_mismatch: '"{skill}" is not the slug, the name or the folder of this skill ("{expected}").',
    slug_missing: 'The skill has no metadata.openclaw.slug; "skill" was matched with its {with}.',
    actions_missing: '"actions" has to be a list.',
    // an action
    action_not_object: 'An action has to be an object.',
    field_invalid: '"{field}" is not valid: {detail}',
    id_missing: 'The action has no "id".',
    id_duplicate: 'The id "{id}" is used twice; this action is left out.',
    title_missing: 'The action has no title; its id is shown.',
    entrypoint_missing: 'The action has no entrypoint.',
    entrypoint_type: 'Unknown entrypoint type {found}; it has to be "cli".',
    app_not_allowed: 'Only the application itself may use the entrypoint type "app".',
    command_missing: 'The entrypoint has no command.',
    command_not_plain: 'The command "{command}" starts with a dash or holds a space; it is passed as one argument.',
    args_not_list: '"args" has to be a list.',
    arg_not_scalar: 'An argument has to be a text, a number or true/false, not {found}.',
    template_not_declared: '"{field}" is not declared in inputSchema.properties.',
    template_not_closed: 'The braces of "{text}" do not form a placeholder; they are passed as they are.',
    // placements
    placements_missing: 'The action has no placements, so it is shown nowhere.',
    placement_unknown: 'Unknown placement "{placement}"; it is left out.',
    placement_reserved: 'The placement "{placement}" is reserved for later; it is left out.',
    placement_sensitive: 'An action with a sensitive field is not shown at "{placement}".',
    placement_high_risk: 'An action of high risk is not shown at "{placement}".',
    confirmation_advised: 'The risk is {risk}, but nothing asks for a confirmation.',
    // input
    type_not_supported: 'The type {found} of "{field}" is not supported by this host; the field is left out.',
    keyword_not_supported: '"{keyword}" is not supported by this host and not checked.',
    required_not_declared: '"{field}" is required but not declared in properties.',
    default_invalid: 'The default of "{field}" does not fit its own rules: {detail}',
    enum_invalid: 'A value of the enum of "{field}" is not of its type.',
    range_empty: 'No value of "{field}" can be valid: {low} is above {high}.',
    pattern_invalid: 'The pattern of "{field}" is not a regular expression.',
    pattern_slow:
      'The pattern of "{field}" is refused: it repeats a repetition or is too large, so that it could take for ever.',
  },
  'zh-CN': {
    json_broken: '不是有效的 JSON：{detail}',
    too_large: '清单有 {size_kb} KB，上限为 {limit_kb} KB。',
    file_unreadable: '无法读取清单：{detail}',
    not_object: '必须是对象。',
    duplicate_key: '键“{key}”出现两次，使用最后一个。',
    schema_version: '未知的 schemaVersion {found}；本版本只读取 1。',
    skill_missing: '缺少“skill”：它以 metadata.openclaw.slug 指明技能。',
    skill_mismatch: '“{skill}”不是该技能（“{expected}”）的 slug、名称或文件夹。',
    slug_missing: '该技能没有 metadata.openclaw.slug；“skill”按{with}匹配。',
    actions_missing: '“actions”必须是列表。',
    action_not_object: '动作必须是对象。',
    field_invalid: '“{field}”无效：{detail}',
    id_missing: '动作没有“id”。',
    id_duplicate: 'id“{id}”重复，已略过此动作。',
    title_missing: '动作没有标题，显示其 id。',
    entrypoint_missing: '动作没有 entrypoint。',
    entrypoint_type: '未知的 entrypoint 类型 {found}，应为“cli”。',
    app_not_allowed: '只有应用本身可以使用 entrypoint 类型“app”。',
    command_missing: 'entrypoint 没有 command。',
    command_not_plain: '命令“{command}”以短横线开头或含有空格，将作为一个参数传递。',
    args_not_list: '“args”必须是列表。',
    arg_not_scalar: '参数必须是文字、数字或 true/false，不能是 {found}。',
    template_not_declared: '“{field}”未在 inputSchema.properties 中声明。',
    template_not_closed: '“{text}”中的花括号不构成占位符，将原样传递。',
    placements_missing: '动作没有 placements，不会显示在任何位置。',
    placement_unknown: '未知的位置“{placement}”，已略过。',
    placement_reserved: '位置“{placement}”为将来保留，已略过。',
    placement_sensitive: '含敏感字段的动作不会显示在“{placement}”。',
    placement_high_risk: '高风险动作不会显示在“{placement}”。',
    confirmation_advised: '风险为 {risk}，但没有要求确认。',
    type_not_supported: '本宿主不支持“{field}”的类型 {found}，已略过该字段。',
    keyword_not_supported: '本宿主不支持“{keyword}”，不做检查。',
    required_not_declared: '“{field}”为必填，但未在 properties 中声明。',
    default_invalid: '“{field}”的默认值不符合自身规则：{detail}',
    enum_invalid: '“{field}”的 enum 中有值类型不符。',
    range_empty: '“{field}”不可能有有效值：{low} 大于 {high}。',
    pattern_invalid: '“{field}”的 pattern 不是正则表达式。',
    pattern_slow: '“{field}”的 pattern 含有嵌套重复或过大，可能永远算不完，已拒绝。',
  },
});

export type ManifestCode = keyof (typeof manifestTexts)['en'];

/** What is wrong with a value that was entered; shown beside its field. */
export const inputTexts = defineTexts({
  en: {
    required: 'A value is needed.',
    unknown: 'There is no such field.',
    not_text: 'It has to be a text.',
    not_number: 'It has to be a number.',
    not_integer: 'It has to be a whole number.',
    not_boolean: 'It has to be true or false.',
    not_in_enum: 'It has to be one of: {values}',
    too_small: 'It has to be at least {limit}.',
    too_big: 'It has to be at most {limit}.',
    too_short: 'It needs at least {limit:character|characters}.',
    too_long: 'It may have at most {limit:character|characters}.',
    no_match: 'It does not have the form {pattern}.',
    nul: 'It holds a NUL character, which can not be passed to a program.',
    leading_dash: 'It starts with a dash and would be taken for an option.',
  },
  'zh-CN': {
    required: '必须填写。',
    unknown: '没有这个字段。',
    not_text: '必须是文字。',
    not_number: '必须是数字。',
    not_integer: '必须是整数。',
    not_boolean: '必须是 true 或 false。',
    not_in_enum: '必须是以下之一：{values}',
    too_small: '不能小于 {limit}。',
    too_big: '不能大于 {limit}。',
    too_short: '至少需要 {limit} 个字符。',
    too_long: '最多 {limit} 个字符。',
    no_match: '不符合格式 {pattern}。',
    nul: '含有 NUL 字符，无法传递给程序。',
    leading_dash: '以短横线开头，会被当作选项。',
  },
});

export type InputCode = keyof (typeof inputTexts)['en'];

export function manifestProblemText(locale: Locale, problem: { code: string; params: TextParams }): string {
  return textOf(manifestTexts[locale], problem);
}

export function inputProblemText(locale: Locale, problem: { code: string; params: TextParams }): string {
  return textOf(inputTexts[locale], problem);
}

function textOf(
  texts: Readonly<Record<string, string>>,
  { code, params }: { code: string; params: TextParams },
): string {
  const template = Object.hasOwn(texts, code) ? texts[code] : undefined;
  return template === undefined ? code : fillText(template, params);
}
