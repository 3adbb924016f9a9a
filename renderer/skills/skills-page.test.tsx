import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../shared/errors/app-error.ts';
import type { SkillDetail, SkillNotice, SkillRow } from '../../shared/skill/skill.ts';
import { useActionRunner } from '../stores/action-runner.ts';
import { useActions } from '../stores/actions-store.ts';
import { useSkillsStore } from '../stores/skills-store.ts';
import { giveSizes } from '../test/layout.ts';
import { show } from '../test/render.tsx';
import { startServices } from '../test/services.ts';
import { aManifest, aScan, aSkill } from '../test/things.ts';
import { SkillPage } from './skill-page.tsx';
import { useSkillsFilter } from './skills-filter.ts';
import { SkillsPage } from './skills-page.tsx';

function notice(code: string, severity: SkillNotice['severity'], params: SkillNotice['params'] = {}): SkillNotice {
  return { code, severity, params };
}

const ready = aSkill('writer', { version: '2.1.0', has_actions: true });
const needs = aSkill('deployer', {
  state: 'not_eligible',
  notices: [notice('need_bin', 'warning', { bin: 'kubectl' })],
});
const shadowed = aSkill('writer-copy', {
  name: 'writer',
  state: 'shadowed',
  shadowed_by: ready.id,
  notices: [notice('shadowed_by', 'info', { name: 'writer', folder: '/home/me/.claude/skills' })],
});
const broken = aSkill('bare', { state: 'broken', notices: [notice('no_front_matter', 'error')] });
const nested = aSkill('inner', { state: 'disabled', notices: [notice('nested', 'info', { parent: 'writer' })] });
const all = [ready, needs, shadowed, broken, nested];

beforeEach(() => {
  giveSizes();
  useSkillsFilter.setState({ query: '', state: null, rootId: null });
});

async function openList(rows: SkillRow[] = all) {
  const services = startServices({ skills: { list: () => aScan(rows), rescan: () => aScan(rows) } });
  const user = show(<SkillsPage toolbar={null} />);
  await act(() => useSkillsStore.getState().refresh());
  return { services, user };
}

const items = () => within(screen.getByRole('list', { name: 'Skills' })).getAllByRole('listitem');

describe('the list of skills', () => {
  test('shows every file found, each with its state and the reason for it', async () => {
    await openList();
    expect(items().map((item) => item.textContent)).toEqual([
      expect.stringMatching(/writer2\.1\.0actions.*What writer does\..*Ready/),
      expect.stringMatching(/The program "kubectl" is missing\..*Needs something/),
      expect.stringMatching(/Hidden by "writer".*Shadowed/),
      expect.stringMatching(/There is no front matter.*Unreadable/),
      expect.stringMatching(/Inside another skill.*Not loaded/),
    ]);
    expect(screen.getByText('5 of 5 files')).toBeInTheDocument();
  });

  test('draws few of a thousand, and finds one among them by its words', async () => {
    const many = Array.from({ length: 1000 }, (_, at) => aSkill(`tool-${at}`));
    const { user } = await openList([...many, aSkill('翻译', { description: '把文档翻译成英文' })]);
    expect(items().length).toBeLessThan(40);
    expect(items()[0]).toHaveAttribute('aria-setsize', '1001');
    await user.type(screen.getByRole('textbox', { name: 'Search skills' }), '翻译 文档');
    expect(items()).toHaveLength(1);
    expect(screen.getByText('1 of 1001 files')).toBeInTheDocument();
  });

  test('is narrowed by a state, and says what to do when nothing is left', async () => {
    const { user } = await openList();
    await user.click(screen.getByRole('button', { name: 'Unreadable 1' }));
    expect(items()).toHaveLength(1);
    await user.type(screen.getByRole('textbox', { name: 'Search skills' }), 'writer');
    expect(screen.getByText('No skill fits the search and the filters.')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Show all' }));
    expect(items()).toHaveLength(5);
  });

  test('is searched again on request, and says a failure where it was asked for', async () => {
    const { services, user } = await openList();
    await user.click(screen.getByRole('button', { name: 'Rescan' }));
    expect(await screen.findByText('5 skill files found.')).toBeInTheDocument();
    services.answer({
      skills: {
        rescan: () => {
          throw new AppError('FILE_UNREADABLE', { file: '/home/me/.claude' });
        },
      },
    });
    await user.click(screen.getByRole('button', { name: 'Rescan' }));
    expect(await screen.findByText('FILE_UNREADABLE')).toBeInTheDocument();
    expect(items()).toHaveLength(5);
  });

  test('says which folders were searched when there is no skill, and can bring the samples', async () => {
    const { services, user } = await openList([]);
    services.answer({
      app: { installSamples: () => ({ chains: [], skills: ['sample'] }) },
      skills: { rescan: () => aScan([ready]) },
    });
    await user.click(screen.getByRole('button', { name: 'Install the samples' }));
    await waitFor(() => expect(items()).toHaveLength(1));
  });

  test('the arrows go along the rows', async () => {
    const { user } = await openList();
    within(items()[0]!).getByRole('link').focus();
    await user.keyboard('{ArrowDown}{ArrowDown}{ArrowUp}');
    expect(within(items()[1]!).getByRole('link')).toHaveFocus();
  });
});

describe('the page of one skill', () => {
  async function openSkill(row: SkillRow, more: Partial<SkillDetail> = {}) {
    const services = startServices({
      skills: {
        list: () => aScan(all),
        get: () => ({ row, body: '', truncated: false, fields: [], files: [], ...more }),
      },
      actions: { list: () => [] },
    });
    const user = show(<SkillPage toolbar={null} skillId={row.id} />);
    await act(() => useSkillsStore.getState().refresh());
    return { services, user };
  }

  test('says why a file is not used and leads to the one that is', async () => {
    await openSkill(shadowed);
    expect(await screen.findByText(/another file of the same name/i)).toBeInTheDocument();
    expect(screen.getByRole('link', { name: /Used instead/ })).toHaveAttribute('href', `#/skills/${ready.id}`);
  });

  test('leads from a file to those that it hides', async () => {
    await openSkill(ready);
    expect(await screen.findByRole('link', { name: /Hides/ })).toHaveAttribute('href', `#/skills/${shadowed.id}`);
  });

  test('shows instructions formatted, without letting them run or load anything', async () => {
    const body = [
      '# How to write',
      '',
      '<script>window.stolen = true</script><img src="https://evil.example/x.png" onerror="window.stolen = true">',
      '',
      '![picture](https://evil.example/y.png) and [a link](javascript:window.stolen=true)',
      '',
      '| a | b |',
      '| - | - |',
      '| 1 | 2 |',
    ].join('\n');
    const { user } = await openSkill(ready, { body });
    const heading = await screen.findByRole('heading', { name: 'How to write' });
    const shown = heading.closest('section')!;
    expect(within(shown).getByRole('table')).toBeInTheDocument();
    expect(shown.querySelectorAll('script, iframe, img[src^="http"], [onerror]')).toHaveLength(0);
    expect([...shown.querySelectorAll('a')].filter((link) => link.href.startsWith('javascript'))).toEqual([]);
    expect(window).not.toHaveProperty('stolen');
    await user.click(within(shown).getByRole('radio', { name: 'As text' }));
    expect(shown).toHaveTextContent('<script>window.stolen = true</script>');
  });

  test('offers its actions as buttons and says what its manifest gets wrong, with the place', async () => {
    const { user } = await openSkill(ready);
    const manifest = aManifest('writer', [
      { id: 'write', title: 'Write', entrypoint: { type: 'cli', command: 'write' }, placements: ['skill-detail'] },
    ]);
    useActions.setState({
      value: [
        {
          ...manifest,
          problems: [
            {
              severity: 'error',
              code: 'required_not_declared',
              path: 'actions[1].inputSchema.required[0]',
              line: 12,
              params: { field: 'to' },
            },
          ],
        },
      ],
    });
    await user.click(await screen.findByRole('button', { name: 'Write' }));
    expect(useActionRunner.getState().asked).toEqual({ slug: 'writer', actionId: 'write', source: 'skill-detail' });
    const problems = screen.getByRole('list', { name: 'Problems of the action manifest' });
    expect(problems).toHaveTextContent(/"to" is required but not declared/);
    expect(problems).toHaveTextContent(/actions\[1\]\.inputSchema\.required\[0\] · line 12/);
  });

  test('that is gone says so and leads back', async () => {
    const { services } = await openSkill(ready);
    services.answer({
      skills: {
        get: () => {
          throw new AppError('SKILL_NOT_FOUND', { name: 'writer' });
        },
      },
    });
    await act(() => useSkillsStore.getState().refresh());
    expect(await screen.findByRole('alert')).toHaveTextContent('SKILL_NOT_FOUND');
    expect(screen.getAllByRole('link', { name: 'All skills' }).length).toBeGreaterThan(0);
  });
});
