import { Button, Group, Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { MergeConflict } from '../state/merge-chains.ts';
import type { Saver } from '../state/saver.ts';
import classes from './conflict-dialog.module.css';

/**
 * Both sides changed the same places. What did not meet is merged in any case; the person decides about the rest, and
 * whatever they choose can be undone. Closing decides nothing.
 */
export function ConflictDialog({ saver, onClose }: { saver: Saver; onClose: () => void }) {
  const { t } = useTranslation(['editor', 'common']);
  const conflict = useStore(saver.state, (state) => state.conflict);
  if (conflict === null) return null;
  const take = (choice: 'mine' | 'theirs') => () => {
    onClose();
    void saver.resolve(choice);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('conflict.title')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('common:close') }}
    >
      <p className={classes['about']}>{t('conflict.about')}</p>
      <div className={classes['scroll']}>
        <table className={classes['table']}>
          <thead>
            <tr>
              <th scope="col">{t('conflict.place')}</th>
              <th scope="col">{t('conflict.mine')}</th>
              <th scope="col">{t('conflict.theirs')}</th>
            </tr>
          </thead>
          <tbody>
            {conflict.meetings.map((meeting) => (
              <tr key={`${meeting.step?.id ?? ''} ${meeting.field}`}>
                <th scope="row">
                  {meeting.step?.name ?? t('inspector.chain')}
                  <span>{t(`field.${meeting.field}`, { defaultValue: meeting.field })}</span>
                </th>
                <td>{sideText(meeting, meeting.mine, t)}</td>
                <td>{sideText(meeting, meeting.theirs, t)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('conflict.later')}
        </Button>
        <Button variant="default" onClick={take('theirs')}>
          {t('conflict.takeTheirs')}
        </Button>
        <Button onClick={take('mine')}>{t('conflict.takeMine')}</Button>
      </Group>
    </Modal>
  );
}

function sideText(meeting: MergeConflict, value: unknown, t: (key: string) => string): string {
  if (meeting.field === 'removed') return t(value === null ? 'conflict.removed' : 'conflict.changed');
  if (value === undefined) return t('conflict.absent');
  if (meeting.field === 'order' && Array.isArray(value)) return value.join(' → ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
