import { setTimeout } from 'node:timers/promises';
import type { ExportMoment } from '../../../contract/exports.ts';
import { findMediaByIds, type MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';

/** A moment with its item; undefined: there is no such item in the workspace, or it is in the trash. */
export type FoundMoment = { moment: ExportMoment; media: MediaRow | undefined };

/** Items that are read from the catalog at a time. */
const batchSize = 100;
/** Between two batches, ms: ten times what one takes, so that several long lists leave the thread to requests. */
const pauseMs = 10;

/**
 * The moments with their items, in their order; those of photographs without a span, as hits give one of no length. Of a long list only a few are
 * in memory, and between them other requests come in.
 */
export async function* findMoments(
  db: Catalog,
  workspaceId: string,
  moments: ExportMoment[],
): AsyncGenerator<FoundMoment> {
  for (let from = 0; from < moments.length; from += batchSize) {
    const batch = moments.slice(from, from + batchSize);
    const rows = await findMediaByIds(db, workspaceId, [...new Set(batch.map(({ media_id: id }) => id))]);
    for (const moment of batch) {
      const media = rows.get(moment.media_id);
      yield { moment: media?.type === 'image' ? withoutSpan(moment) : moment, media };
    }
    // SQLite answers without waiting, so nothing else would run until the list has ended.
    if (from + batchSize < moments.length) await setTimeout(pauseMs);
  }
}

const withoutSpan = ({ start: _start, end: _end, ...moment }: ExportMoment): ExportMoment => moment;

/** The span of a moment within its video, seconds; undefined when it lies behind its end. */
export function spanOf(
  { start = 0, end = Infinity }: ExportMoment,
  duration: number,
): { start: number; end: number } | undefined {
  return start < duration ? { start, end: Math.min(end, duration) } : undefined;
}

/** Whether a moment means a part of its item. */
export const isPart = ({ start, end }: ExportMoment): boolean => start !== undefined || end !== undefined;
