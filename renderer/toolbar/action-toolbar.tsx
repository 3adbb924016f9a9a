import { Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { Ellipsis } from 'lucide-react';
import { Fragment, type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { localizeAction } from '../../shared/action/localize-action.ts';
import type { Action, SkillActions } from '../../shared/action/manifest.ts';
import { useLocale } from '../i18n/i18n.ts';
import { askAction } from '../stores/action-runner.ts';
import { useActions } from '../stores/actions-store.ts';
import { useCommands } from '../stores/commands.ts';
import { useJobs } from '../stores/jobs-store.ts';
import type { RoomName } from '../stores/route.ts';
import { ManifestIcon } from '../ui/manifest-icon.tsx';
import { ActionDialog } from './action-dialog.tsx';
import classes from './action-toolbar.module.css';
import { isOfferedIn } from './own-rooms.ts';
import { useFittingCount } from './use-fitting-count.ts';
import { useJobNotices } from './use-job-notices.tsx';

const ownSlug = 'studio';
const moreWidth = 44;

interface ToolbarItem {
  readonly key: string;
  readonly slug: string;
  readonly group: string;
  readonly action: Action;
  readonly title: string;
}

/**
 * The actions that manifests place in the toolbar, grouped by skill, the application's own first and of these only the
 * ones that belong to the room. What does not fit goes into a menu. `onAppCommand` carries out the application's own
 * commands; everything else becomes a job.
 */
export function ActionToolbar({
  room,
  onAppCommand,
}: {
  room: RoomName;
  onAppCommand: (command: string, args: readonly unknown[]) => void;
}) {
  const { t } = useTranslation('toolbar');
  const items = useToolbarItems(room);
  const { row, count, measuring } = useFittingCount(
    moreWidth,
    items.map((item) => `${item.key}=${item.title}`).join('\n'),
  );
  const [current, setCurrent] = useState('');
  useJobNotices();

  const press = ({ slug, action }: ToolbarItem) => {
    const { type, command, args } = action.entrypoint;
    if (type === 'app') onAppCommand(command, args ?? []);
    else askAction({ slug, actionId: action.id, source: 'toolbar' });
  };
  useCommands(() =>
    items
      .filter((item) => item.action.entrypoint.type !== 'app')
      .map((item) => ({
        id: `action.${item.key}`,
        title: item.title,
        group: item.group,
        ...(item.action.description === undefined ? {} : { description: item.action.description }),
        enabled: true,
        run: () => press(item),
      })),
  );

  const shown = items.slice(0, count);
  const rest = items.slice(count);
  const focusable =
    shown.some((item) => item.key === current) || current === 'more' ? current : (shown[0]?.key ?? 'more');
  const groups = groupOf(shown);

  return (
    <>
      {items.length > 0 && (
        <div className={classes['frame']}>
          <div
            ref={row}
            role="toolbar"
            aria-label={t('label')}
            className={classes['row']}
            data-measuring={measuring || undefined}
            onKeyDown={moveFocus}
          >
            {groups.map((group) => (
              <fieldset key={group.slug} aria-label={group.title} className={classes['group']}>
                {group.items.map((item) => (
                  <ToolbarButton
                    key={item.key}
                    item={item}
                    tabIndex={item.key === focusable ? 0 : -1}
                    onFocus={() => setCurrent(item.key)}
                    onPress={() => press(item)}
                  />
                ))}
              </fieldset>
            ))}
            {rest.length > 0 && (
              <MoreMenu
                items={rest}
                tabIndex={focusable === 'more' ? 0 : -1}
                onFocus={() => setCurrent('more')}
                onPress={press}
              />
            )}
          </div>
        </div>
      )}
      <ActionDialog />
    </>
  );
}

function ToolbarButton({
  item,
  tabIndex,
  onFocus,
  onPress,
}: {
  item: ToolbarItem;
  tabIndex: number;
  onFocus: () => void;
  onPress: () => void;
}) {
  const { t } = useTranslation('toolbar');
  const running = useJobs((state) => state.value?.find((job) => isRunning(job.state) && isJobOf(job, item)) ?? null);
  return (
    <Tooltip label={tooltipOf(item)} multiline maw={320}>
      <UnstyledButton
        className={classes['button']}
        data-fit
        data-toolbar-item
        data-running={running !== null || undefined}
        tabIndex={tabIndex}
        onFocus={onFocus}
        onClick={onPress}
      >
        <ManifestIcon name={item.action.icon} />
        <span className={classes['title']}>{item.title}</span>
        {running !== null && (
          <>
            <span
              className={classes['progress']}
              data-unknown={running.progress === null || undefined}
              style={{ width: `${running.progress ?? 100}%` }}
            />
            <span className="visually-hidden">{t('running')}</span>
          </>
        )}
      </UnstyledButton>
    </Tooltip>
  );
}

function MoreMenu({
  items,
  tabIndex,
  onFocus,
  onPress,
}: {
  items: readonly ToolbarItem[];
  tabIndex: number;
  onFocus: () => void;
  onPress: (item: ToolbarItem) => void;
}) {
  const { t } = useTranslation('toolbar');
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <UnstyledButton
          className={classes['button']}
          data-toolbar-item
          aria-label={t('more', { count: items.length })}
          tabIndex={tabIndex}
          onFocus={onFocus}
        >
          <Ellipsis size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown className={classes['menu'] ?? ''}>
        {groupOf(items).map((group) => (
          <Fragment key={group.slug}>
            <Menu.Label>{group.title}</Menu.Label>
            {group.items.map((item) => (
              <Menu.Item
                key={item.key}
                leftSection={<ManifestIcon name={item.action.icon} />}
                title={item.action.description}
                onClick={() => onPress(item)}
              >
                {item.title}
              </Menu.Item>
            ))}
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function useToolbarItems(room: RoomName): readonly ToolbarItem[] {
  const { t } = useTranslation(['toolbar', 'common']);
  const locale = useLocale();
  const manifests = useActions((state) => state.value);
  return (manifests ?? []).flatMap((manifest: SkillActions) =>
    manifest.actions
      .filter(({ placements }) => placements.includes('toolbar'))
      .filter(({ action }) => manifest.slug !== ownSlug || isOfferedIn(action, room))
      .map((offered) => {
        const action = localizeAction(offered.action, locale);
        return {
          key: `${manifest.slug}/${action.id}`,
          slug: manifest.slug,
          group: manifest.slug === ownSlug ? t('common:product') : manifest.skill_name,
          action,
          title: action.title ?? action.id,
        };
      }),
  );
}

function groupOf(items: readonly ToolbarItem[]): { slug: string; title: string; items: ToolbarItem[] }[] {
  const groups: { slug: string; title: string; items: ToolbarItem[] }[] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last?.slug === item.slug) last.items.push(item);
    else groups.push({ slug: item.slug, title: item.group, items: [item] });
  }
  return groups;
}

function tooltipOf(item: ToolbarItem): string {
  const text = item.action.description ?? item.title;
  return item.slug === ownSlug ? text : `${item.group}: ${text}`;
}

function isRunning(state: string): boolean {
  return state === 'running' || state === 'queued';
}

function isJobOf(job: { skill_slug: string; action_id: string }, item: ToolbarItem): boolean {
  return job.skill_slug === item.slug && job.action_id === item.action.id;
}

/** One stop for Tab; the arrows go along the buttons. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY,
  };
  const step = steps[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-toolbar-item]')];
  const index = buttons.indexOf(document.activeElement as HTMLElement);
  if (index < 0) return;
  event.preventDefault();
  buttons[Math.min(buttons.length - 1, Math.max(0, index + step))]?.focus();
}
