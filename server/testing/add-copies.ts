import type { MediaItem } from '../../contract/media.ts';
import type { startTestService } from './running-service.ts';

/** A photograph of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);
let made = 0;

/** Adds photographs that were found to be the same as the first, each smaller than the one before. @returns their identifiers */
export async function addCopies(
  { client, db, workspaceId: workspace_id }: Awaited<ReturnType<typeof startTestService>>,
  count: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const form = new FormData();
    made += 1;
    form.set('file', new Blob([png, `${made}`]), `${i}.png`);
    const { id } = (await client.call<MediaItem>('/media/upload', { method: 'POST', body: form })).data;
    ids.push(id);
    const columns = { status: 'complete', width: 4000 - i, height: 3000 } as const;
    await db.updateTable('media_items').set(columns).where('id', '=', id).execute();
  }
  const [media_id = '', ...others] = ids;
  const point = { start: 0, end: 0 };
  const spans = JSON.stringify([{ a: point, b: point, speed: 1, mirrored: false, cropped: 0, score: 1 }]);
  const pair = { workspace_id, media_id, kind: 'same', spans, score: 1, found_at: '2026-01-01T00:00:00.000Z' } as const;
  for (const other_id of others)
    await db
      .insertInto('item_copies')
      .values({ ...pair, other_id })
      .execute();
  return ids;
}
