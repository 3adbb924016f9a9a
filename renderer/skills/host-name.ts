import type { SkillRoot } from '../../shared/skill/skill.ts';

/** The name of the program, or the folder, that a root belongs to. */
export function hostName(root: Pick<SkillRoot, 'host' | 'folder'>, t: (key: string) => string): string {
  if (root.host === 'settings') return root.folder.split(/[\\/]/).filter(Boolean).pop() ?? root.folder;
  return t(`skills:host.${root.host}`);
}
