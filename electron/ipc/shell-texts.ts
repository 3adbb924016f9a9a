import { defineTexts, type Locale } from '../../shared/text/texts.ts';

const texts = defineTexts({
  en: {
    name: 'Skill Chain Studio',
    crashed: 'The window stopped working.',
    crashed_detail: 'Runs go on. What was not saved is kept as a draft and is offered when the chain is opened again.',
    hangs: 'The window does not answer.',
    hangs_detail: 'It may be busy. Runs go on meanwhile.',
    reload: 'Open again',
    wait: 'Wait',
    quit: 'Quit',
    stay: 'Stay',
    runs_active: '{count:run is|runs are} not finished.',
    runs_active_detail: 'Quitting stops them with all their processes.',
    start_failed: 'The program can not start.',
    file: 'File',
    edit: 'Edit',
    view: 'View',
    window: 'Window',
  },
  'zh-CN': {
    name: 'Skill Chain Studio',
    crashed: '窗口已停止工作。',
    crashed_detail: '运行仍在继续。未保存的内容已保留为草稿，再次打开调用链时会提供。',
    hangs: '窗口没有响应。',
    hangs_detail: '它可能正忙。运行仍在继续。',
    reload: '重新打开',
    wait: '等待',
    quit: '退出',
    stay: '留下',
    runs_active: '有 {count} 个运行尚未结束。',
    runs_active_detail: '退出会停止它们及其所有进程。',
    start_failed: '程序无法启动。',
    file: '文件',
    edit: '编辑',
    view: '视图',
    window: '窗口',
  },
});

export type ShellText = keyof (typeof texts)['en'];

/** A text of the desktop shell. */
export function shellText(locale: Locale, key: ShellText): string {
  return texts[locale][key];
}
