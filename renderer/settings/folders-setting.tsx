import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core';
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSkills } from '../stores/skills-store.ts';
import classes from './list-setting.module.css';
import { fieldNames, SettingRow } from './setting-row.tsx';
import { useSetting } from './use-setting.ts';

/** Folders that are searched before those of the hosts; the first one wins. */
export function FoldersSetting() {
  const { t } = useTranslation('settings');
  const handle = useSetting('skill_folders');
  const { scan } = useSkills();
  const [added, setAdded] = useState('');
  const folders = handle.value;
  const wanted = added.trim();
  const problem = folders.includes(wanted) ? t('folders.twice') : null;

  function add(event: FormEvent) {
    event.preventDefault();
    if (wanted === '' || problem !== null) return;
    void handle.save([...folders, wanted]).then((saved) => saved && setAdded(''));
  }
  const move = (index: number, step: -1 | 1) => {
    const next = [...folders];
    const [folder] = next.splice(index, 1);
    if (folder === undefined) return;
    next.splice(index + step, 0, folder);
    void handle.save(next);
  };

  return (
    <SettingRow name="skill_folders" handle={handle} defaultText={t('folders.none')} problem={problem} wide>
      <div className={classes['list']}>
        {folders.length > 0 && (
          <ol className={classes['items']}>
            {folders.map((folder, index) => {
              const root = scan?.roots.find((other) => other.id === `settings-${index + 1}`);
              return (
                <li key={folder} className={classes['item']}>
                  <div className={classes['itemText']}>
                    <code>{folder}</code>
                    {root !== undefined && (
                      <span data-bad={!root.exists || undefined}>
                        {root.exists ? t('folders.found', { count: root.found }) : t('folders.missing')}
                      </span>
                    )}
                  </div>
                  <Tooltip label={t('folders.up')}>
                    <ActionIcon
                      aria-label={`${t('folders.up')}: ${folder}`}
                      disabled={index === 0}
                      onClick={() => move(index, -1)}
                    >
                      <ArrowUp size={15} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                  <Tooltip label={t('folders.down')}>
                    <ActionIcon
                      aria-label={`${t('folders.down')}: ${folder}`}
                      disabled={index === folders.length - 1}
                      onClick={() => move(index, 1)}
                    >
                      <ArrowDown size={15} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                  <Tooltip label={t('folders.remove')}>
                    <ActionIcon
                      aria-label={`${t('folders.remove')}: ${folder}`}
                      onClick={() => void handle.save(folders.filter((other) => other !== folder))}
                    >
                      <X size={15} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                </li>
              );
            })}
          </ol>
        )}
        <form className={classes['add']} onSubmit={add}>
          <TextInput
            {...fieldNames('skill_folders', t('field.skill_folders.title'), problem)}
            className={classes['grow'] ?? ''}
            placeholder={t('folders.placeholder')}
            spellCheck={false}
            value={added}
            error={problem !== null}
            onChange={(event) => setAdded(event.currentTarget.value)}
          />
          <Button
            type="submit"
            variant="default"
            leftSection={<Plus size={14} aria-hidden />}
            disabled={wanted === '' || problem !== null}
          >
            {t('folders.add')}
          </Button>
        </form>
      </div>
    </SettingRow>
  );
}
