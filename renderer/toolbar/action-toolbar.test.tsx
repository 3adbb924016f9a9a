import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import type { SkillActions } from '../../shared/action/manifest.ts';
import { ActionManifest } from '../../shared/action/manifest.ts';
import { changeLocale } from '../i18n/i18n.ts';
import { useActions } from '../stores/actions-store.ts';
import { noteJob, useJobs } from '../stores/jobs-store.ts';
import { type RoomName, roomNames } from '../stores/route.ts';
import { show } from '../test/render.tsx';
import { startServices } from '../test/services.ts';
import { aJob, aManifest } from '../test/things.ts';
import { ActionToolbar } from './action-toolbar.tsx';
import { isOfferedIn } from './own-rooms.ts';
import { fittingCount } from './use-fitting-count.ts';

const files = import.meta.glob<unknown>('../../assets/actions.json', { eager: true, import: 'default' });
const own = ActionManifest.parse(Object.values(files)[0]);
const ownManifest: SkillActions = { ...aManifest('studio', own.actions), skill_id: null, skill_name: '' };
const words = aManifest('words', [
  {
    id: 'count',
    title: 'Count words',
    description: 'Counts what is given.',
    entrypoint: { type: 'cli', command: 'count' },
    placements: ['toolbar'],
    locales: { 'zh-CN': { title: '统计字数' } },
  },
  { id: 'hidden', title: 'Hidden', entrypoint: { type: 'cli', command: 'hide' }, placements: ['skill-detail'] },
]);
const pages = aManifest('pages', [
  { id: 'render', title: 'Render', entrypoint: { type: 'cli', command: 'render' }, placements: ['toolbar'] },
]);

/** Every button is 100 px wide, or as its title says: `wide (250)`. */
function layOut(rowWidth: number) {
  let width = rowWidth;
  const observers = new Set<() => void>();
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(private readonly told: () => void) {}
      observe(): void {
        observers.add(this.told);
      }
      unobserve(): void {}
      disconnect(): void {
        observers.delete(this.told);
      }
    },
  );
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockImplementation(function (this: Element) {
    return this.getAttribute('role') === 'toolbar' ? width : 0;
  });
  const widthOf = (item: Element) => Number(/\((\d+)\)/.exec(item.textContent ?? '')?.[1] ?? 100);
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    const items = [...(this.closest('[role=toolbar]')?.querySelectorAll('[data-fit]') ?? [])];
    const right = items.slice(0, items.indexOf(this) + 1).reduce((sum, item) => sum + widthOf(item), 0);
    return new DOMRect(0, 0, this.hasAttribute('data-fit') ? right : 0, 0);
  });
  return (next: number) =>
    act(() => {
      width = next;
      for (const told of observers) told();
    });
}

async function openToolbar(manifests: readonly SkillActions[], room: RoomName = 'chains') {
  const kept = [...manifests];
  const services = startServices({ actions: { list: () => kept }, jobs: { list: () => [] } });
  const commands: string[] = [];
  const user = show(<ActionToolbar room={room} onAppCommand={(command) => commands.push(command)} />);
  await act(async () => {
    await useActions.getState().refresh();
    await useJobs.getState().refresh();
  });
  return { kept, services, user, commands };
}

const titles = () =>
  within(screen.getByRole('toolbar'))
    .getAllByRole('button')
    .map((button) => button.textContent || button.getAttribute('aria-label'));

describe('what the toolbar offers', () => {
  test('the actions that manifests place there, the application’s own first, grouped by skill', async () => {
    layOut(2000);
    await openToolbar([ownManifest, words, pages]);
    expect(titles()).toEqual(['Import', 'Install samples', 'Count words', 'Render']);
    expect(screen.getByRole('group', { name: 'words' })).toHaveTextContent('Count words');
  });

  test.each<[RoomName, string[]]>([
    ['chains', ['Import', 'Install samples']],
    ['chain', ['Validate', 'Plan', 'Rescan skills']],
    ['runs', ['Run']],
    ['skills', ['Install samples']],
    ['jobs', []],
  ])(
    'in the room "%s", of its own actions those that belong there and have no button of their own',
    async (room, own) => {
      layOut(2000);
      await openToolbar([ownManifest, words], room);
      expect(titles()).toEqual([...own, 'Count words']);
    },
  );

  test('every own action of a toolbar is offered in some room, by the toolbar or by the room', () => {
    const placed = own.actions.filter((action) => action.placements?.includes('toolbar'));
    expect(placed.length).toBeGreaterThan(3);
    for (const action of placed) {
      const rooms = roomNames.filter((room) => isOfferedIn(action, room));
      expect(rooms.length > 0 || action['primaryIn'] !== undefined, action.id).toBe(true);
    }
  });

  test('a command of the window is carried out there, anything else becomes a job', async () => {
    layOut(2000);
    const { commands, services, user } = await openToolbar([ownManifest, pages]);
    services.answer({ actions: { run: () => aJob('j-1', { state: 'running', ended_at: null }) } });
    await user.click(screen.getByRole('button', { name: 'Import' }));
    expect(commands).toEqual(['chain.import']);
    await user.click(screen.getByRole('button', { name: 'Render' }));
    expect(services.calls('actions.run')).toEqual([
      { skill_slug: 'pages', action_id: 'render', input: {}, source: 'toolbar', confirmed: false },
    ]);
  });

  test('a button says that its job is at work', async () => {
    layOut(2000);
    await openToolbar([words]);
    act(() => noteJob(aJob('j-1', { state: 'running', progress: 30, ended_at: null })));
    expect(screen.getByRole('button', { name: 'Count words(running)' })).toBeInTheDocument();
    act(() => noteJob(aJob('j-1')));
    expect(screen.getByRole('button', { name: 'Count words' })).toBeInTheDocument();
  });

  test('Tab stops once; the arrows go along the buttons and into the menu', async () => {
    layOut(250);
    const { user } = await openToolbar([ownManifest, words, pages]);
    expect(titles()).toEqual(['Import', 'Install samples', '2 more actions']);
    await user.tab();
    expect(screen.getByRole('button', { name: 'Import' })).toHaveFocus();
    await user.keyboard('{ArrowRight}{ArrowRight}');
    expect(screen.getByRole('button', { name: '2 more actions' })).toHaveFocus();
    await user.keyboard('{Enter}');
    expect(await screen.findByRole('menuitem', { name: 'Render' })).toBeInTheDocument();
    await user.keyboard('{Escape}');
    await user.tab();
    expect(screen.getByRole('toolbar')).not.toContainElement(document.activeElement as HTMLElement);
  });
});

describe('what fits', () => {
  const long = aManifest('long', [
    ...['a', 'b (250)', 'c', 'd'].map((title) => ({
      id: title,
      title,
      entrypoint: { type: 'cli' as const, command: title },
      placements: ['toolbar' as const],
    })),
  ]);

  test('stays in the row; the rest goes behind one button, and comes back with the width', async () => {
    const resize = layOut(2000);
    await openToolbar([long]);
    expect(titles()).toEqual(['a', 'b (250)', 'c', 'd']);
    resize(549);
    expect(titles()).toEqual(['a', 'b (250)', 'c', '1 more action']);
    resize(200);
    expect(titles()).toEqual(['a', '3 more actions']);
    resize(60);
    expect(titles()).toEqual(['4 more actions']);
    resize(550);
    expect(titles()).toEqual(['a', 'b (250)', 'c', 'd']);
  });

  test('is known also when the actions came after the toolbar', async () => {
    layOut(250);
    const { kept } = await openToolbar([]);
    expect(screen.queryByRole('toolbar')).toBeNull();
    kept.push(ownManifest, words, pages);
    await act(() => useActions.getState().refresh());
    expect(titles()).toEqual(['Import', 'Install samples', '2 more actions']);
  });

  test('is learned anew when the titles change', async () => {
    layOut(250);
    const { kept } = await openToolbar([words, pages]);
    expect(titles()).toEqual(['Count words', 'Render']);
    kept[1] = aManifest('pages', [{ ...pages.actions[0]!.action, title: 'Render (180)' }]);
    await act(() => useActions.getState().refresh());
    expect(titles()).toEqual(['Count words', '1 more action']);
  });

  test('follows the language', async () => {
    layOut(2000);
    await openToolbar([words]);
    await act(async () => changeLocale('zh-CN'));
    expect(titles()).toEqual(['统计字数']);
    await act(async () => changeLocale('en'));
    await waitFor(() => expect(titles()).toEqual(['Count words']));
  });

  test.each([
    [[], 0, 0],
    [[100, 200], 200, 2],
    [[100, 200], 199, 1],
    [[100, 200], 143, 0],
    [[100, 200], 144, 1],
    [[100], 20, 0],
  ])('of children that end at %j, %d pixels hold %d', (ends, room, count) => {
    expect(fittingCount(ends, room, 44)).toBe(count);
  });
});
