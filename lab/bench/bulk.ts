import { setTimeout as delay } from 'node:timers/promises';
import type { MediaChange } from '../../contract/media-changes.ts';
import type { MediaItem } from '../../contract/media.ts';
import { startTestService } from '../../server/testing/running-service.ts';
import { seedItems } from '../../server/testing/seed-items.ts';

/**
 * How long changes of all items of a library take, and how long another writer waits meanwhile. It checks what the changes did.
 *
 *     npm run node -- lab/bench/bulk.ts [items]
 */

const count = Number(process.argv[2] ?? 20_000);
await using service = await startTestService({ workers: 0 });
const { client, db, workspaceId } = service;
const first = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';
const now = '2026-01-01T00:00:00.000Z';
await db
  .insertInto('media_items')
  .values({
    workspace_id: workspaceId,
    id: first,
    filename: 'one.png',
    type: 'image',
    status: 'complete',
    size: 1,
    mime_type: 'image/png',
    sha256: 'f'.repeat(64),
    created_at: now,
    updated_at: now,
  })
  .execute();
await seedItems(db, count - 1);
const tag = (await client.post<{ id: string }>('/tags', { name: 'sunset' })).data.id;
const collection = (await client.post<{ id: string }>('/collections', { name: 'Best' })).data.id;
const listed = async (query: string) =>
  (await client.get<MediaItem[], { total: number }>(`/media?per_page=1&${query}`)).meta.total;

/** Begins something, and follows it to its end while another request writes again and again. */
async function measure(what: string, path: string, body: unknown): Promise<MediaChange> {
  const start = performance.now();
  let change = (await client.post<MediaChange>(path, body)).data;
  const answered = performance.now() - start;
  const waits: number[] = [];
  while (change.state === 'running') {
    const asked = performance.now();
    await client.patch(`/collections/${collection}`, { description: String(asked) });
    waits.push(performance.now() - asked);
    await delay(20);
    change = (await client.get<MediaChange>(`/changes/${change.id}`)).data;
  }
  const took = (performance.now() - start) / 1000;
  const worst = Math.max(0, ...waits);
  process.stdout.write(
    `${what.padEnd(34)} ${took.toFixed(2)} s, answered after ${answered.toFixed(0)} ms, ${change.done} changed; another writer waited ${worst.toFixed(0)} ms at most\n`,
  );
  return change;
}

const all = { filter: {} };
const change = (changes: object) => ({ items: all, change: changes });

function check(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${what}: ${found} items, not ${expected}.`);
}

const tagged = await measure('tag all', '/changes', change({ add_tag_ids: [tag] }));
check('tagged', await listed(`tag_id=${tag}`), count);
await measure('undo it', `/changes/${tagged.id}/undo`, {});
check('tagged after the undo', await listed(`tag_id=${tag}`), 0);
const rated = await measure('rate all', '/changes', change({ rating: 5 }));
check('rated', await listed('rating_min=5'), count);
await measure('collect the best', '/changes', {
  items: { filter: { rating_min: 4 } },
  change: { add_collection_ids: [collection] },
});
check('collected', await listed(`collection_id=${collection}`), count);
await measure('undo the ratings', `/changes/${rated.id}/undo`, {});
check('rated after the undo', await listed('rating_min=1'), 0);
const deleted = await measure('delete all but one', '/changes', {
  items: { ...all, except_ids: [first] },
  change: { delete: true },
});
check('left', await listed(''), 1);
await measure('undo the deletion', `/changes/${deleted.id}/undo`, {});
check('left after the undo', await listed(''), count);
const start = performance.now();
const order = { moves: [{ media_ids: [first], before_id: '00000000-0000-7000-8000-000000000001' }] };
await client.post(`/collections/${collection}/order`, order);
process.stdout.write(`${'move one of the collection'.padEnd(34)} ${(performance.now() - start).toFixed(0)} ms\n`);
const [front] = (await client.get<MediaItem[]>(`/media?collection_id=${collection}&sort=position&per_page=1`)).data;
check('items in front', front?.id === first ? 1 : 0, 1);
