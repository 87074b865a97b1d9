import type { Command } from 'commander';
import { formatBytes, formatTime } from '../../shared/format.ts';
import { pageLink } from '../../shared/links.ts';
import { getMedia, type MediaItem } from '../../typescript/index.ts';
import type { Context } from '../context.ts';
import { openAddress } from '../open-address.ts';
import { formatDate } from '../output/format-date.ts';
import { type Field, showFields } from '../output/show-fields.ts';
import { addExamples, addJsonOption } from './options.ts';

export function addGetCommand(program: Command, context: Context): void {
  addExamples(
    addJsonOption(program.command('get <id>').description('Show an item'))
      .option('--open', 'Play it in the browser')
      .action((id: string, options: { json?: boolean; open?: boolean }) => get(id, options, context)),
    'get 01a1fbe4-6806-793e-a30f-22b8a44e4f85',
    'get 01a1fbe4-6806-793e-a30f-22b8a44e4f85 --json',
  );
}

async function get(id: string, options: { json?: boolean; open?: boolean }, context: Context): Promise<void> {
  const { client } = await context.connect();
  const { output, signal } = context;
  const { data } = await getMedia({ client, path: { id }, signal });
  const page = pageLink(client, data.id);
  if (options.json) output.json(data);
  else showFields(describeItem(data, page), output);
  if (options.open) await openAddress(page, context);
}

/** Fields of the specification may be missing at another service. */
function describeItem(item: MediaItem, address: string): Field[] {
  const { duration, width, height, progress, error, warning, taken_at: takenAt, created_at: createdAt } = item;
  return [
    ['id', item.id],
    ['file', item.filename],
    ['type', `${item.type}${item.mime_type ? ` (${item.mime_type})` : ''}`, [item.type, item.mime_type ?? '']],
    ['state', item.status],
    [
      'progress',
      progress ? `${progress.stage}, ${Math.floor(100 * progress.fraction)} %` : null,
      progress ? [progress.stage, progress.fraction] : [],
    ],
    ['error', error ? error.message : null],
    ['warning', warning ? warning.message : null],
    ['length', typeof duration === 'number' ? formatTime(duration) : null, [duration ?? '']],
    ['rating', item.rating ? `${item.rating} of 5` : null, [item.rating ?? 0]],
    ['pixels', width && height ? `${width} × ${height}` : null, [width ?? '', height ?? '']],
    ['location', item.source ? item.source.location : null],
    ['source', item.source ? `${item.source.name}${item.source.offline ? ', offline' : ''}` : null],
    ['size', typeof item.size === 'number' ? formatBytes(item.size) : null, [item.size]],
    ['clips', item.chunk_count ? String(item.chunk_count) : null],
    ['recorded', takenAt ? formatDate(takenAt) : null, [takenAt ?? '']],
    ['uploaded', createdAt ? formatDate(createdAt) : null, [createdAt]],
    ['sha256', item.sha256 ?? null],
    ['address', address],
  ];
}
