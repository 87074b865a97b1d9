import { expect, test } from 'vitest';
import { listEventsAfter } from '../../catalog/events/events.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { requestMatches } from '../../catalog/searches/saved-matches.ts';
import { createSavedSearch } from '../../catalog/searches/saved-searches.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import type { Matching } from './match-item.ts';
import { startMatching } from './start-matching.ts';

const listWaiting = (db: Catalog) => db.selectFrom('jobs').select('media_id').where('kind', '=', 'match').execute();

test('an item that cannot be compared keeps no other waiting, and is compared again', async () => {
  await using t = await openTestCatalog();
  const { db, workspaceId } = t;
  await createSavedSearch(db, workspaceId, { name: 'Red', page: 'search', parameters: { q: 'red' }, notify: true });
  const broken = await t.add('broken.mp4');
  const fine = await t.add('fine.mp4');
  await db.updateTable('media_items').set({ status: 'complete' }).execute();
  await requestMatches(db, workspaceId, [broken.id, fine.id]);
  const chunk = { start_time: 2, end_time: 3 };
  const search = {
    searchByText: (_workspace: string, _q: string, _filter: object, { mediaId }: { mediaId?: string }) =>
      mediaId === broken.id
        ? Promise.reject(new Error('The index is damaged.'))
        : Promise.resolve({
            hits: [{ chunk, score: 0.9, weak: false, signals: { text: 1 } }],
            problem: null,
            embedder: { chanceMargins: null },
          }),
  } as unknown as Matching['search'];
  const failures: unknown[] = [];
  const log = { error: (...said: unknown[]) => void failures.push(said) };
  const matching = startMatching({ db, search, embedLike: () => Promise.reject(new Error('not asked')), log });
  const found = async () =>
    (await listEventsAfter(db, workspaceId, 0, 100)).flatMap(({ type, data }) =>
      type === 'search.saved_match' ? [data.media.id] : [],
    );
  await expect.poll(found).toEqual([fine.id]);
  await matching.stop();
  expect(failures).toHaveLength(1);
  expect(await listWaiting(db)).toEqual([{ media_id: broken.id }]);
});

test('a saved search that fails keeps no other from telling of an item, which is told once', async () => {
  await using t = await openTestCatalog();
  const { db, workspaceId } = t;
  const named = { page: 'search', notify: true } as const;
  const lost = await t.add('lost.mp4');
  const parameters = { media_id: lost.id, at: '1' };
  await createSavedSearch(db, workspaceId, { ...named, name: 'Like what is away', parameters });
  await createSavedSearch(db, workspaceId, { ...named, name: 'Red', parameters: { q: 'red' } });
  const item = await t.add('red.mp4');
  await db.updateTable('media_items').set({ status: 'complete' }).where('id', '=', item.id).execute();
  await requestMatches(db, workspaceId, [item.id]);
  const embedder = { chanceMargins: null };
  const hits = [{ chunk: { start_time: 2, end_time: 3 }, score: 0.9, weak: false, signals: { text: 1 } }];
  const search = {
    getEmbedder: () => Promise.resolve(embedder),
    searchByText: () => Promise.resolve({ hits, problem: null, embedder }),
  } as unknown as Matching['search'];
  let compared = 0;
  const embedLike = () => {
    compared += 1;
    return Promise.reject(new Error('The storage is away.'));
  };
  const matches = async () =>
    (await listEventsAfter(db, workspaceId, 0, 100)).filter(({ type }) => type === 'search.saved_match').length;
  for (const times of [1, 2]) {
    const matching = startMatching({ db, search, embedLike, log: { error: () => undefined } });
    await expect.poll(() => compared).toBe(times);
    await matching.stop();
    expect([await matches(), await listWaiting(db)]).toEqual([1, [{ media_id: item.id }]]);
    // It has waited.
    await db.updateTable('jobs').set({ available_at: null }).execute();
  }
});

test('an item is told of by searches that were saved before it and do not name it, and by none that only looked in texts', async () => {
  await using t = await openTestCatalog();
  const { db, workspaceId } = t;
  const item = await t.add('red.mp4');
  for (const [name, parameters] of [
    ['Before', { q: 'red' }],
    ['After', { q: 'red' }],
    ['Like itself', { media_id: item.id }],
  ] as const)
    await createSavedSearch(db, workspaceId, { name, page: 'search', parameters, notify: true });
  await db
    .updateTable('saved_searches')
    .set({ notify_since: '2999-01-01T00:00:00.000Z' })
    .where('name', '=', 'After')
    .execute();
  await db.updateTable('media_items').set({ status: 'complete' }).execute();
  await requestMatches(db, workspaceId, [item.id]);
  const embedder = { chanceMargins: null };
  const hits = [{ chunk: { start_time: 2, end_time: 3 }, score: 0.9, weak: false, signals: { text: 1 } }];
  let problem: string | null = 'The model cannot be run.';
  const search = {
    getEmbedder: () => Promise.resolve(embedder),
    searchByText: () => Promise.resolve({ hits, problem, embedder }),
    searchByImage: () => Promise.resolve(hits),
  } as unknown as Matching['search'];
  const failures: unknown[] = [];
  const start = () => {
    const log = { error: (...said: unknown[]) => void failures.push(said) };
    return startMatching({ db, search, embedLike: () => Promise.resolve([new Float32Array(2)]), log });
  };
  const found = async () =>
    (await listEventsAfter(db, workspaceId, 0, 100)).flatMap(({ type, data }) =>
      type === 'search.saved_match' ? [data.saved_search.name] : [],
    );
  const first = start();
  await expect.poll(() => failures).toHaveLength(1);
  await first.stop();
  expect(await found()).toEqual([]);
  problem = null;
  await db.updateTable('jobs').set({ available_at: null }).execute();
  const second = start();
  await expect.poll(() => listWaiting(db)).toEqual([]);
  await second.stop();
  expect(await found()).toEqual(['Before']);
});
