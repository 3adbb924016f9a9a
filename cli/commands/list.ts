import { join } from 'node:path';
import { readListCache } from '../../electron/services/chains/list-cache.ts';
import { findHomes } from '../../electron/services/find-homes.ts';
import type { CommandContext } from '../command-context.ts';
import { columns } from '../output.ts';

/** `list`: every chain file, the broken ones with their reason. Exit code 0. */
export async function list(options: { tag?: string }, { output }: CommandContext): Promise<number> {
  const wanted = options.tag?.toLowerCase();
  const all =
    readListCache(join(findHomes().dataHome, 'chains')) ??
    (await (await import('../chain-by-name.ts')).openChains().list());
  const rows = all.filter((row) => wanted === undefined || row.tags.some((tag) => tag.toLowerCase() === wanted));
  output.value(
    rows.map(({ name, file, description, tags, steps, milestones, exec_count, updated_at, broken }) => ({
      name,
      file,
      description,
      tags,
      steps,
      milestones,
      exec_count,
      updated_at,
      broken: broken === null ? null : broken.code,
    })),
  );
  if (rows.length === 0) output.line(output.text('no_chains'));
  else {
    const head = (['col_name', 'col_steps', 'col_runs', 'col_updated', 'col_tags'] as const).map((key) =>
      output.text(key),
    );
    const body = rows.map((row) =>
      row.broken === null
        ? [row.name, String(row.steps), String(row.exec_count), row.updated_at, row.tags.join(', ')]
        : [row.name, '-', '-', row.updated_at, `${output.text('broken')} (${row.broken.code})`],
    );
    for (const line of columns([head, ...body])) output.line(line);
  }
  return 0;
}
