import type { Command } from 'commander';
import { formatBytes, formatTime } from '../../shared/format.ts';
import { getWorkspace, type Workspace } from '../../typescript/index.ts';
import type { Context } from '../context.ts';
import { type Field, showFields } from '../output/show-fields.ts';
import { addExamples, addJsonOption } from './options.ts';

export function addWorkspaceCommand(program: Command, context: Context): void {
  addExamples(
    addJsonOption(program.command('workspace').description('Show the workspace, its plan and what is used')).action(
      async ({ json }: { json?: boolean }) => {
        const { client } = await context.connect();
        const { data } = await getWorkspace({ client, signal: context.signal });
        if (json) context.output.json(data);
        else showFields(describeWorkspace(data), context.output);
      },
    ),
    'workspace',
    'workspace --json',
  );
}

/** What is used of what the plan allows: “12 of 100”. */
function describeWorkspace({ id, name, plan, usage, embedder }: Workspace): Field[] {
  const of = (
    field: string,
    used: number,
    limit: number | null | undefined,
    write: (value: number) => string,
    period = '',
  ): Field =>
    typeof limit === 'number'
      ? [field, `${write(used)} of ${write(limit)}${period}`, [used, limit]]
      : [field, `${write(used)}${period}`, [used]];
  const states = Object.entries(usage.by_status ?? {})
    .filter(([, items]) => items > 0)
    .map(([state, items]) => `${items} ${state}`);
  const { open_uploads: open } = usage;
  const reserved = open.media_items
    ? `${open.media_items}, ${formatBytes(open.storage_bytes)} reserved beside what is used`
    : null;
  return [
    ['workspace', name],
    ['id', id],
    ['plan', plan.name],
    of('items', usage.media_items, plan.limits.media_items, String),
    ['states', states.join(', ')],
    of('storage', usage.storage_bytes, plan.limits.storage_bytes, formatBytes),
    ['open uploads', reserved, [open.media_items, open.storage_bytes]],
    of('indexed', usage.indexed_seconds, plan.limits.indexed_seconds, formatTime),
    of('searches', usage.searches_per_month, plan.limits.searches_per_month, String, ' this month'),
    ['embedder', embedder?.id ?? null],
  ];
}
