import { defineTexts, fillText, type Locale, type TextParams } from '../text/texts.ts';
import type { ChainProblem } from './chain.ts';
import type { MilestoneAnswer, MilestoneReason } from './milestones.ts';

/** Details of the errors of this room: what exactly is wrong with a file, a name or an edit. */
const detailTexts = defineTexts({
  en: {
    file_empty: 'the file is empty (0 bytes); the program that wrote it may have been stopped',
    file_blank: 'the file holds nothing but blanks or zero bytes',
    file_cut_off: 'the file ends in the middle; the rest is missing',
    file_too_deep: 'lists and objects are nested more than {limit:level|levels} deep',
    json_syntax: 'this is not JSON',
    json_number: 'this number is not written as JSON writes it',
    json_property: 'a field name in double quotes is expected here',
    json_value: 'a value is expected here',
    json_colon: 'a colon is expected here',
    json_comma: 'a comma or a closing bracket is expected here',
    json_more: 'nothing more is expected behind the end of the chain',
    json_comment: 'JSON knows no comments',
    json_text: 'this text holds a sign that has to be escaped, or has no closing quote',
    json_escape: 'this escape sequence is not JSON',
    chain_not_object: 'a chain is an object {…}, but this is {found}',
    step_not_object: 'a step is an object {…}, but this is {found}',
    wrong_type: '{expected} is expected here, but this is {found}',
    wrong_value: 'one of {allowed} is expected here, but this is {found}',
    out_of_range: 'a value of at least {minimum} is expected here, but this is {found}',
    text_empty: 'a text that is not empty is expected here',
    not_above: 'a value above {minimum} is expected here, but this is {found}',
    dependency_text: '"{found}" is neither the index of a step nor the id of one',
    name_empty: 'a name needs at least one sign besides dots and blanks',
    name_control: 'it holds a line break or another control character',
    name_broken_text: 'it holds half a character',
    name_too_long: 'it is longer than {limit:character|characters}',
    edit_unknown: 'this version knows no such edit',
    edit_field: 'the field "{field}" can not have this value',
    edit_id_taken: 'the id "{id}" is taken',
    edit_id_fixed: 'the id of a step can not be changed',
    edit_steps_fixed: 'the steps can not be changed in this way',
    edit_dependency_missing: 'it depends on a step that does not exist ({id})',
    edit_linked_already: '"{to}" already depends on "{from}"',
    edit_not_linked: '"{to}" does not depend on "{from}"',
    edit_self: 'a step can not depend on itself',
    edit_double_id: 'two steps have the id "{id}"',
  },
  'zh-CN': {
    file_empty: '文件为空（0 字节），写入它的程序可能被中途终止',
    file_blank: '文件中只有空白或零字节',
    file_cut_off: '文件在中途结束，其余部分缺失',
    file_too_deep: '列表和对象的嵌套超过 {limit} 层',
    json_syntax: '这不是 JSON',
    json_number: '此数字不符合 JSON 的写法',
    json_property: '此处应为双引号括起的字段名',
    json_value: '此处应有一个值',
    json_colon: '此处应为冒号',
    json_comma: '此处应为逗号或右括号',
    json_more: '调用链结束之后不应再有内容',
    json_comment: 'JSON 不支持注释',
    json_text: '此文本含有需要转义的字符，或缺少右引号',
    json_escape: '此转义序列不是 JSON',
    chain_not_object: '调用链应为对象 {…}，但此处是{found}',
    step_not_object: '步骤应为对象 {…}，但此处是{found}',
    wrong_type: '此处应为{expected}，但实际是{found}',
    wrong_value: '此处应为 {allowed} 之一，但实际是{found}',
    out_of_range: '此处的值至少应为 {minimum}，但实际是{found}',
    text_empty: '此处应为非空文本',
    not_above: '此处的值应大于 {minimum}，但实际是{found}',
    dependency_text: '“{found}”既不是步骤序号，也不是步骤 id',
    name_empty: '名称除点和空格外至少需要一个字符',
    name_control: '名称含有换行或其他控制字符',
    name_broken_text: '名称含有不完整的字符',
    name_too_long: '名称超过 {limit} 个字符',
    edit_unknown: '此版本不认识这种编辑',
    edit_field: '字段“{field}”不能取此值',
    edit_id_taken: 'id “{id}”已被占用',
    edit_id_fixed: '步骤的 id 不能更改',
    edit_steps_fixed: '不能以这种方式更改步骤',
    edit_dependency_missing: '它依赖一个不存在的步骤（{id}）',
    edit_linked_already: '“{to}”已经依赖“{from}”',
    edit_not_linked: '“{to}”并不依赖“{from}”',
    edit_self: '步骤不能依赖自身',
    edit_double_id: '有两个步骤使用 id “{id}”',
  },
});
export type DetailCode = keyof (typeof detailTexts)['en'];

/**
 * The params of an error's `{detail}`: the sentence in English, and in every other language under `detail:<locale>`, so
 * that whoever shows the error shows it in one language.
 */
export function detailParams(code: DetailCode, params: TextParams = {}): Record<string, string> {
  return {
    reason: code,
    detail: fillText(detailTexts.en[code], wordsOf(params, 'en')),
    'detail:zh-CN': fillText(detailTexts['zh-CN'][code], wordsOf(params, 'zh-CN')),
  };
}

const typeWords = defineTexts({
  en: {
    string: 'a text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    scalars: 'a list of texts, numbers or true/false',
    scalar: 'a text, a number or true/false',
    switch: 'true or false',
    list_or_template: 'a list or a text',
    null: 'null',
  },
  'zh-CN': {
    string: '文本',
    number: '数字',
    int: '整数',
    boolean: '布尔值（true 或 false）',
    array: '列表',
    object: '对象',
    scalars: '由文本、数字或 true/false 组成的列表',
    scalar: '文本、数字或 true/false',
    switch: 'true 或 false',
    list_or_template: '列表或文本',
    null: 'null',
  },
});
export type TypeWord = keyof (typeof typeWords)['en'];

/** A param that names a type, in the language of the sentence: written `type:<word>`. */
function wordsOf(params: TextParams, locale: Locale): TextParams {
  return Object.fromEntries(
    Object.entries(params).map(([key, value]) => {
      const word = typeof value === 'string' && value.startsWith('type:') ? value.slice(5) : null;
      return [
        key,
        word !== null && Object.hasOwn(typeWords[locale], word) ? typeWords[locale][word as TypeWord] : value,
      ];
    }),
  );
}

const problemTexts = defineTexts({
  en: {
    no_name: 'The chain has no name. Give it one.',
    no_steps: 'The chain has no steps. Add the first one.',
    step_name_missing: 'Step {step} has no name.',
    step_name_twice: 'Steps {first} and {step} have the same name, "{name}".',
    skill_missing: 'The skill "{skill}" of step {step} was not found. Install it, or choose another one.',
    skill_needed: 'Step {step} needs a skill, because its kind is "{kind}".',
    action_text_missing: 'Step {step} does not say what to do.',
    dependency_missing:
      'Step {step} depends on step {index}, which does not exist. Remove the dependency or choose another one.',
    dependency_twice: 'Step {step} names the same dependency twice.',
    depends_on_itself: 'Step {step} depends on itself. Remove this dependency.',
    cycle: 'These steps depend on each other in a circle: {path}. Remove one of these connections.',
    kind_unknown: 'Step {step} has the kind "{kind}", which this version can not run. Known kinds: {known}.',
    action_missing: 'Step {step} does not say which action of "{skill}" to run.',
    action_unknown: 'The skill "{skill}" has no action "{action}" (step {step}).',
    entrypoint_missing: 'Step {step} does not say which script of "{skill}" to run.',
    script_missing: 'The skill "{skill}" has no script "{script}" (step {step}).',
    with_invalid: 'The field "{key}" of step {step} has to be {expected}.',
    agent_unknown:
      'There is no agent profile named "{agent}" (step {step}). Choose another one, or add it in the settings.',
    retries_out_of_range: 'Step {step} asks for {retries:retry|retries}; at most {limit} are possible.',
    milestone_not_abort:
      'Step {step} is a milestone, so its failure always ends the run. Set "when retries are used up" to abort to make that visible.',
    auth_never_retried: 'Step {step} lists auth_error, which is never retried: a person is asked at once.',
    condition_is_prose:
      'The condition of step {step} is a sentence: it is given to whoever does the step, and the step always runs. A condition such as outputs.check == "yes" is evaluated.',
    template_error: 'The field "{key}" of step {step} can not be read (line {line}, column {column}). {detail}',
    can_not_exist:
      'The field "{key}" of step {step} reads {name}, which is never there: no step before it gives it. Depend on the step that does, or correct the name.',
    unsafe_interpolation:
      'The field "{key}" of step {step} takes over {name} as it is. Add | xml_escape, | truncate or | tojson, so that it can not pass for an instruction.',
    tool_missing: 'Step {step} calls a tool, but does not say which. Choose one.',
    options_missing:
      'Step {step} has to choose a label. Give the labels, each once, as "with.options" or as output choices.',
    iterable_missing: 'Step {step} does not say for which list it is done. Give a list, or a template that gives one.',
    template_missing: 'Step {step} does not say what is done for each item. Give it a "fan_out_template" with a kind.',
    template_kind: 'Step {step} can not do "{kind}" for each item. Possible kinds: {known}.',
    field_not_for_kind:
      'Step {step} has the field "{key}", which a step of the kind "{kind}" does not have. Remove it, or change the kind.',
    list_of_texts: 'The field "{key}" of step {step} has to list at least one text, none empty and none twice.',
    tool_not_allowed:
      'Step {step} calls "{tool}", which its own list of allowed tools does not hold. Add it there, or choose another tool.',
    contract_needs_json:
      'Step {step} requires properties of its output, which only JSON has. Set the format of the output contract to json.',
    form_without_fields: 'Step {step} asks with a form that has no fields. Add one, or set the mode to chat.',
    form_field_twice: 'The form of step {step} has the field "{name}" twice. Rename one of them.',
    form_enum_without_options:
      'The field "{name}" of step {step} is a choice, but has nothing to choose from. Add options, each once.',
    form_options_without_enum: 'The field "{name}" of step {step} has options, but is no choice. Set its type to enum.',
    form_range_empty:
      'No answer can satisfy the field "{name}" of step {step}: its least value is above its greatest. Change one of them.',
    form_default_unfit:
      'The default of the field "{name}" of step {step} is no valid answer. Change it to fit the type.',
    id_like_child:
      'The id "{id}" of step {step} is one that a part of the step "{fan_out}" gets in a run. Give it another id in the text view.',
    route_default_twice: 'The route of step {step} has two ways without a condition. Give way {entry} a condition.',
    route_default_not_last:
      'Way {entry} of step {step} has no condition, so those behind it are never taken. Move it to the end.',
    route_to_itself: 'Way {entry} of step {step} leads back to the step itself. Choose another step.',
    route_to_stand_in:
      'Way {entry} of step {step} leads to step {other}, which only runs when another one fails. Choose another step.',
    route_target_missing:
      'Way {entry} of step {step} leads to "{to}", which is neither a step nor a skill. Choose one that exists.',
    stand_in_missing: 'When step {step} fails, "{id}" is to run, which does not exist. Choose another step.',
    stand_in_itself: 'Step {step} can not stand in for itself. Choose another step.',
    stand_in_has_own:
      'Step {other} stands in for step {step}, so it can have no stand-in of its own. Remove one of the two.',
    stand_in_shared: 'Step {other} stands in for step {first} already. Choose another one for step {step}.',
    stand_in_depends:
      'Step {step} stands in for another one, so it can not depend on steps. Set its dependencies to none.',
    stand_in_needed:
      'Step {step} depends on step {other}, which only runs when another one fails. Depend on that one instead.',
    final_text_unknown:
      'The final text "{mode}" does not exist. Write auto, raw, structured or step:<id> with the id of a step.',
    duplicate_key: 'The file has the field "{key}" more than once in the same place; the last one counts.',
    duplicate_index:
      'The steps {first} and {step} both have the index {index}; a dependency on it means the first one.',
    duplicate_id: 'The steps {first} and {step} both have the id "{id}"; the second one gets another id.',
    id_unusable:
      'The id {id} of step {step} can not be used (lower-case letters, digits, _ and -, at most 64); it gets another one.',
    depends_on_null: 'Step {step} has "depends_on": null. This is read as not given: it depends on the step before it.',
    dependency_as_text: 'Step {step} writes a dependency as text ("{found}") instead of as a number.',
  },
  'zh-CN': {
    no_name: '调用链没有名称，请为它命名。',
    no_steps: '调用链没有步骤，请添加第一个步骤。',
    step_name_missing: '步骤 {step} 没有名称。',
    step_name_twice: '步骤 {first} 和步骤 {step} 同名：“{name}”。',
    skill_missing: '找不到步骤 {step} 的技能“{skill}”。请安装它，或改用其他技能。',
    skill_needed: '步骤 {step} 的类型是“{kind}”，因此需要指定技能。',
    action_text_missing: '步骤 {step} 没有说明要做什么。',
    dependency_missing: '步骤 {step} 依赖的步骤 {index} 不存在。请移除该依赖或另选步骤。',
    dependency_twice: '步骤 {step} 重复列出了同一个依赖。',
    depends_on_itself: '步骤 {step} 依赖自身，请移除该依赖。',
    cycle: '以下步骤之间存在循环依赖：{path}。请移除其中一条连线。',
    kind_unknown: '步骤 {step} 的类型“{kind}”在此版本中无法执行。可用类型：{known}。',
    action_missing: '步骤 {step} 没有指定要执行“{skill}”的哪个动作。',
    action_unknown: '技能“{skill}”没有动作“{action}”（步骤 {step}）。',
    entrypoint_missing: '步骤 {step} 没有指定要执行“{skill}”的哪个脚本。',
    script_missing: '技能“{skill}”没有脚本“{script}”（步骤 {step}）。',
    with_invalid: '步骤 {step} 的字段“{key}”必须是{expected}。',
    agent_unknown: '没有名为“{agent}”的代理配置（步骤 {step}）。请另选一个，或在设置中添加。',
    retries_out_of_range: '步骤 {step} 要求重试 {retries} 次，最多只能重试 {limit} 次。',
    milestone_not_abort: '步骤 {step} 是里程碑，失败后总会中止整条链。建议将“重试耗尽后”设为 abort，使其一目了然。',
    auth_never_retried: '步骤 {step} 列出了 auth_error，但认证错误从不重试，而是立即询问用户。',
    condition_is_prose:
      '步骤 {step} 的条件是一句话：它会交给执行者，但不会求值，该步骤总会执行。形如 outputs.check == "yes" 的条件才会求值。',
    template_error: '步骤 {step} 的字段“{key}”无法读取（第 {line} 行，第 {column} 列）。{detail}',
    can_not_exist:
      '步骤 {step} 的字段“{key}”读取 {name}，但它不可能存在：前面没有步骤给出它。请依赖给出它的步骤，或更正名称。',
    unsafe_interpolation:
      '步骤 {step} 的字段“{key}”原样带入 {name}。请加上 | xml_escape、| truncate 或 | tojson，以免其内容被当作指令。',
    tool_missing: '步骤 {step} 要调用工具，但没有指定哪一个。请选择工具。',
    options_missing: '步骤 {step} 要选择标签。请在 with.options 或 output_choices 中列出标签，且不要重复。',
    iterable_missing: '步骤 {step} 没有指定要逐项处理的列表。请给出列表，或能得到列表的模板。',
    template_missing: '步骤 {step} 没有说明每一项做什么。请填写带有 kind 的 fan_out_template。',
    template_kind: '步骤 {step} 不能对每一项执行“{kind}”。可用类型：{known}。',
    field_not_for_kind: '步骤 {step} 有字段“{key}”，但类型“{kind}”没有此字段。请移除它或更改类型。',
    list_of_texts: '步骤 {step} 的字段“{key}”至少要有一个文本，不能为空，也不能重复。',
    tool_not_allowed: '步骤 {step} 调用的“{tool}”不在它自己的允许列表中。请加入列表或另选工具。',
    contract_needs_json: '步骤 {step} 要求输出含有某些属性，而只有 JSON 才有属性。请将输出约定的格式设为 json。',
    form_without_fields: '步骤 {step} 的表单没有字段。请添加字段，或将模式设为 chat。',
    form_field_twice: '步骤 {step} 的表单中字段“{name}”重复。请改名。',
    form_enum_without_options: '步骤 {step} 的字段“{name}”是选择项，但没有可选内容。请添加不重复的选项。',
    form_options_without_enum: '步骤 {step} 的字段“{name}”有选项，但不是选择项。请将类型设为 enum。',
    form_range_empty: '步骤 {step} 的字段“{name}”的最小值大于最大值，任何回答都不合格。请修改其中之一。',
    form_default_unfit: '步骤 {step} 的字段“{name}”的默认值不是有效回答。请改成符合类型的值。',
    id_like_child: '步骤 {step} 的 id “{id}”与步骤“{fan_out}”运行时的子项相同。请在文本视图中改用其他 id。',
    route_default_twice: '步骤 {step} 的路由有两条无条件的去向。请为第 {entry} 条填写条件。',
    route_default_not_last: '步骤 {step} 的第 {entry} 条去向没有条件，其后的去向永远不会被选中。请把它移到最后。',
    route_to_itself: '步骤 {step} 的第 {entry} 条去向指向它自身。请另选步骤。',
    route_to_stand_in: '步骤 {step} 的第 {entry} 条去向指向步骤 {other}，而后者只在其他步骤失败时运行。请另选步骤。',
    route_target_missing: '步骤 {step} 的第 {entry} 条去向“{to}”既不是步骤也不是技能。请选择存在的目标。',
    stand_in_missing: '步骤 {step} 失败时要运行的“{id}”不存在。请另选步骤。',
    stand_in_itself: '步骤 {step} 不能替代自身。请另选步骤。',
    stand_in_has_own: '步骤 {other} 是步骤 {step} 的替代步骤，不能再有自己的替代步骤。请移除其中之一。',
    stand_in_shared: '步骤 {other} 已经是步骤 {first} 的替代步骤。请为步骤 {step} 另选一个。',
    stand_in_depends: '步骤 {step} 是其他步骤的替代步骤，不能依赖任何步骤。请清空它的依赖。',
    stand_in_needed: '步骤 {step} 依赖步骤 {other}，而后者只在其他步骤失败时运行。请改为依赖被替代的步骤。',
    final_text_unknown: '最终文本“{mode}”不存在。请写 auto、raw、structured 或带步骤 id 的 step:<id>。',
    duplicate_key: '文件在同一处多次出现字段“{key}”，以最后一个为准。',
    duplicate_index: '步骤 {first} 和步骤 {step} 的序号都是 {index}，对它的依赖指向前者。',
    duplicate_id: '步骤 {first} 和步骤 {step} 的 id 都是“{id}”，后者将使用另一个 id。',
    id_unusable: '步骤 {step} 的 id {id} 不可用（只能包含小写字母、数字、_ 和 -，最多 64 个字符），将使用另一个 id。',
    depends_on_null: '步骤 {step} 的 "depends_on" 为 null，按未填写处理：依赖前一个步骤。',
    dependency_as_text: '步骤 {step} 的依赖写成了文本（“{found}”），而不是数字。',
  },
});
export type ProblemCode = keyof (typeof problemTexts)['en'];

/** The sentence of a finding. A code of another room is shown as it is. */
export function problemText(locale: Locale, problem: Pick<ChainProblem, 'code' | 'params'>): string {
  const texts: Readonly<Record<string, string>> = problemTexts[locale];
  if (!Object.hasOwn(texts, problem.code)) return problem.code;
  const own = problem.params[`detail:${locale}`];
  const params = own === undefined ? problem.params : { ...problem.params, detail: own };
  return fillText(texts[problem.code]!, wordsOf(params, locale));
}

const milestoneTexts = defineTexts<MilestoneReason>({
  en: {
    explicit_yes: 'marked as a milestone',
    explicit_no: 'marked as no milestone',
    short_chain: 'every step counts in a chain of one or two',
    keyword: 'keyword "{keyword}" in the name',
    bottleneck: '{count:step depends|steps depend} on it',
    last_step: 'a last step: it delivers the result',
    none: 'no rule applies: an ordinary step',
  },
  'zh-CN': {
    explicit_yes: '已标记为里程碑',
    explicit_no: '已取消里程碑标记',
    short_chain: '链太短（不超过 2 步），每步都关键',
    keyword: '关键词匹配：“{keyword}”',
    bottleneck: '瓶颈点：被 {count} 个步骤依赖',
    last_step: '最终交付步骤',
    none: '默认规则（非关键节点）',
  },
});

/** Why a step is a milestone or not, without the number of the rule. */
export function milestoneReason(locale: Locale, answer: Pick<MilestoneAnswer, 'reason_code' | 'params'>): string {
  return fillText(milestoneTexts[locale][answer.reason_code], answer.params);
}

const editTexts = defineTexts({
  en: {
    add_step: 'add step',
    remove_steps: 'delete steps',
    update_step: 'change step',
    connect: 'connect',
    disconnect: 'disconnect',
    move_step: 'move step',
    duplicate_steps: 'duplicate steps',
    update_chain: 'change chain',
    paste_steps: 'paste steps',
    replace: 'change the text',
  },
  'zh-CN': {
    add_step: '添加步骤',
    remove_steps: '删除步骤',
    update_step: '修改步骤',
    connect: '连接',
    disconnect: '断开连接',
    move_step: '移动步骤',
    duplicate_steps: '复制步骤',
    update_chain: '修改调用链',
    paste_steps: '粘贴步骤',
    replace: '修改文本',
  },
});
export type EditLabelKey = keyof (typeof editTexts)['en'];

/** The name of a kind of edit, for undo and redo. */
export function editLabel(locale: Locale, key: EditLabelKey): string {
  return editTexts[locale][key];
}
