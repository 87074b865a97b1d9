import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { toUnit } from '@media-search/search-engine/vectors';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { createWorkspace } from '../../catalog/accounts/workspaces.ts';
import { beginTimeline } from '../../catalog/media/timelines.ts';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { type Backend, backends, openFresh } from '../../testing/fresh-catalog.ts';
import { queryEmbedderOf } from '../../testing/query-embedder.ts';
import { seedChunks } from '../../testing/seed-chunks.ts';
import { createChunkMaps } from './chunk-maps.ts';
import { createConceptVectors } from './concept-vectors.ts';
import type { MapTask } from './kept-map.ts';
import { layOutChunks } from './lay-out-chunks.ts';

const dimensions = 16;
const embedder = queryEmbedderOf('test@1', dimensions, () => Promise.reject(new Error('No words are read.')));

/** Maps of a new workspace, with a list of what was computed. */
async function setUp(backend: Backend = 'sqlite') {
  const folder = await temporaryFolder();
  const catalog = await openFresh(backend);
  const { db } = catalog;
  await beginTimeline(db);
  const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: 'Test', owner: 'Tester' });
  const computed: string[] = [];
  const problems: unknown[] = [];
  const run = (how: string) => (task: MapTask) => {
    computed.push(`${task.stage}${how}`);
    return layOutChunks(db, task);
  };
  const filesOf = (workspaceId: string, embedderId: string, layout: string) => {
    const file = folder.file(path.join('indexes', workspaceId, `${embedderId}.${layout}`));
    return { map: `${file}.map`, graph: `${file}.graph` };
  };
  const request = {
    workspaceId: id,
    embedder,
    filter: {},
    layout: 'umap',
    signal: new AbortController().signal,
  } as const;
  return {
    db,
    computed,
    problems,
    request,
    mapFile: filesOf(id, embedder.id, 'umap').map,
    open: () =>
      createChunkMaps({
        db,
        concepts: createConceptVectors(folder.file('concepts')),
        filesOf,
        computeMap: run(''),
        computeAhead: run(' ahead'),
        prepare: () => Promise.resolve(),
        onProblem: (problem) => problems.push(problem),
      }),
    add: (count: number) =>
      seedChunks(db, id, embedder.id, { count, perItem: 1 }, () => ({
        vector: toUnit(Array.from({ length: dimensions }, () => Math.random() - 0.5)),
      })),
    async [Symbol.asyncDispose]() {
      await catalog[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test.each(backends)('a map is computed once however many ask, and kept over a restart (%s)', async (backend) => {
  await using t = await setUp(backend);
  await t.add(40);
  const maps = t.open();
  const [first, second] = await Promise.all([maps.read(t.request, false), maps.read(t.request, false)]);
  expect(first).toEqual(second);
  expect(t.computed).toEqual(['whole']);
  expect((await t.open().read(t.request, true)).map.points).toEqual(first.map.points);
  expect(t.computed).toEqual(['whole']);

  // A filter is another map, and is not kept.
  await t.open().read({ ...t.request, filter: { type: 'video' } }, false);
  await t.open().read({ ...t.request, filter: { type: 'video' } }, false);
  expect(t.computed).toEqual(['whole', 'whole', 'whole']);
});

test('one that people look at is brought up to date ahead; of others nothing is computed', async () => {
  await using t = await setUp();
  await t.add(40);
  const maps = t.open();
  await maps.refresh(t.request);
  expect(t.computed).toEqual([]);
  await maps.read(t.request, false);
  await maps.refresh(t.request);
  expect(t.computed).toEqual(['whole']);
  const numbers = await t.add(3);
  await maps.refresh(t.request);
  expect(t.computed).toEqual(['whole', 'whole ahead']);
  const { map, complete } = await maps.read(t.request, true);
  expect(complete).toBe(true);
  expect(map.points.map(({ number }) => number)).toEqual(expect.arrayContaining(numbers));
  expect(t.computed).toHaveLength(2);

  // Where much is new all are laid out again, and what was deleted is not there.
  await t.db.deleteFrom('chunks').where('number', 'in', numbers).execute();
  await t.add(60);
  expect((await maps.read(t.request, false)).map.points).toHaveLength(100);
});

test('with what there is, the map of before comes while the next one is computed', async () => {
  await using t = await setUp();
  await t.add(40);
  const maps = t.open();
  const before = (await maps.read(t.request, false)).map;
  await t.add(2);
  const meanwhile = await maps.read(t.request, true);
  expect(meanwhile).toEqual({ map: before, complete: false });
  await vi.waitFor(async () => expect((await maps.read(t.request, true)).complete).toBe(true), 20_000);
  expect(t.computed).toEqual(['whole', 'whole']);
  expect(t.problems).toEqual([]);
});

test('a damaged file is computed again', async () => {
  await using t = await setUp();
  await t.add(10);
  await t.open().read(t.request, false);
  await writeFile(t.mapFile, 'damaged');
  expect((await t.open().read(t.request, false)).map.points).toHaveLength(10);
  expect(t.computed).toEqual(['whole', 'whole']);
});
