import { cp, mkdir, readFile, rename, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import type { SearchHit } from '../../../contract/search.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { makePhoto, makeVideo, type Paint, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { abortFirstDownload, hubPreset, startModelHub } from '../../../packages/models/testing/model-hub.ts';
import { makeTinyModel } from '../../../packages/models/testing/tiny-model.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import { newJob } from '../../catalog/queue/job-queue.ts';
import { chosenEmbedderSetting, writeSetting } from '../../catalog/service-settings.ts';
import { catalogFile, modelDirectory } from '../../platform/storage/data-directory.ts';
import type { Settings } from '../../settings.ts';
import { type TestClient, startServiceOn, startTestService } from '../../testing/running-service.ts';

const embedderOf = async (client: TestClient) => (await client.get<Workspace>('/workspace')).data.embedder;
const names = (hits: SearchHit[]) => hits.map(({ filename }) => filename);

/** A service on a folder that outlives it, for restarts. */
const start = (folder: string, changes: Partial<Settings>) => startServiceOn(path.join(folder, 'data'), changes);

let made: Awaited<ReturnType<typeof temporaryFolder>>;
/** What that service has stored: the identifiers of all chunks in order, and the original of b.png below its folder. */
let stored: { chunks: string[]; original: string };

/** The files of every test, and the folder of a stopped service that has indexed them with the descriptors. */
beforeAll(async () => {
  made = await temporaryFolder();
  await makePhoto(made.file('a.png'), plain(200, 30, 30));
  await makePhoto(made.file('b.png'), plain(30, 150, 40));
  const scenes = [plain(20, 40, 200), plain(210, 20, 20)].map((paint) => ({ paint, seconds: 2 }));
  await makeVideo(made.file('c.mp4'), { scenes });
  await using service = await startTestService();
  await upload(service.client);
  const { client, workspaceId } = service;
  const chunks = (await client.search('red')).data.map(({ chunk_id: id }) => id).toSorted();
  expect(chunks).toHaveLength(4);
  const [b] = (await client.get<[MediaItem]>('/media?q=b')).data;
  stored = { chunks, original: path.join('data', 'assets', workspaceId, b.id, 'original') };
  await service.stop();
  await cp(path.join(service.folder, 'data'), made.file('data'), { recursive: true });
});

afterAll(() => made[Symbol.asyncDispose]());

async function upload(client: TestClient, files = ['a.png', 'b.png', 'c.mp4']): Promise<void> {
  const ids: string[] = [];
  for (const name of files) ids.push((await client.upload(made.file(name))).data.id);
  for (const id of ids) await client.waitUntilIndexed(id);
}

/** A copy of what a service has indexed with the descriptors. */
async function copyIndexed() {
  const folder = await temporaryFolder();
  await cp(made.file('data'), folder.file('data'), { recursive: true });
  return { ...stored, folder: folder.path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

describe('with a model in a folder', () => {
  let models: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    models = await temporaryFolder();
    await makeTinyModel(models.file('tiny'), 'clip');
    service = await startTestService({ embedder: models.file('tiny') });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await models[Symbol.asyncDispose]();
  });

  test('all searches use it', async () => {
    const { client } = await service.addWorkspace('Searched');
    await upload(client);
    expect(await embedderOf(client)).toMatchObject({
      id: expect.stringMatching(/^tiny@[0-9a-f]{8}:fp32:2$/),
      kind: 'semantic',
      dimensions: 3,
      reindexing: null,
      problem: null,
    });
    const found = await client.search('something blue');
    expect(found.meta).toMatchObject({ embedder: expect.stringMatching(/^tiny@/) });
    expect(found.meta.notice).toBeUndefined();
    expect(found.data[0]).toMatchObject({ filename: 'c.mp4', start: 0, end: expect.closeTo(2, 1) });
    expect(names((await client.search('green')).data)[0]).toBe('b.png');
    // Near the background of the workspace a hit is weak.
    expect(found.data.at(-1)?.weak).toBe(true);
    // Image searches, rerank, highlights and the map use the same model.
    const { id } = (await client.get<MediaItem[]>('/media?q=a')).data[0] as MediaItem;
    const alike = await client.post<SearchHit[]>('/media/search/image', { media_id: id });
    expect(alike.data[1]).toMatchObject({ filename: 'c.mp4', start: 2 });
    const reranked = await client.search('red', '&rerank=1');
    expect(reranked.meta.reranked).toBe(true);
    const verdicts = reranked.data.map(({ signals }) => signals.rerank ?? Number.NaN);
    expect(verdicts[0]).toBeGreaterThan((verdicts.at(-1) as number) + 0.2);
    for (const address of ['/media/highlights', '/media/highlights/map']) {
      expect((await client.get<unknown[]>(address)).data).toHaveLength(4);
    }
  });

  test('a rerank finds small details of a photograph', async () => {
    const { folder } = service;
    const { client } = await service.addWorkspace('Reranked');
    // All have the same mean, which is all that this model sees; only one has red in a corner.
    const corner: Paint = (x, y) => (x < 0.5 && y < 0.5 ? [220, 40, 40] : [60, 120, 120]);
    await makePhoto(path.join(folder, 'corner.png'), corner, { width: 128, height: 128 });
    await makePhoto(path.join(folder, 'even.png'), plain(101, 100, 100), { width: 128, height: 128 });
    await makePhoto(path.join(folder, 'green.png'), plain(30, 150, 40), { width: 128, height: 128 });
    for (const name of ['corner.png', 'even.png', 'green.png']) {
      await client.waitUntilIndexed((await client.upload(path.join(folder, name))).data.id);
    }
    expect(names((await client.search('red', '&rerank=0')).data)[0]).toBe('even.png');
    expect(names((await client.search('red', '&rerank=1')).data)[0]).toBe('corner.png');
  });
});

test('another embedder: the old vectors answer until everything is re-embedded, also across a restart', async () => {
  await using models = await temporaryFolder();
  await makeTinyModel(models.file('tiny'), 'siglip');
  await using copy = await copyIndexed();
  const { folder, chunks } = copy;
  {
    // Stopped before anything is embedded.
    await using middle = await start(folder, { embedder: models.file('tiny'), workers: 0 });
    expect(await embedderOf(middle.client)).toMatchObject({
      id: 'descriptors@2',
      kind: 'descriptors',
      reindexing: { total: 3 },
      target: expect.stringMatching(/^tiny@/),
    });
    const answer = await middle.client.search('red');
    expect([answer.meta.embedder, answer.data.length]).toEqual(['descriptors@2', 4]);
  }
  await using last = await start(folder, { embedder: models.file('tiny') });
  let answering = '';
  while (!answering.startsWith('tiny')) {
    const answer = await last.client.search('red');
    // Searches always find hits, either under the old vectors or under the new ones.
    expect(answer.data).toHaveLength(4);
    answering = answer.meta.embedder;
    await delay(20);
  }
  const { data } = await last.client.search('something red');
  // The same chunks, under the new vectors only.
  expect(data.map(({ chunk_id: id }) => id).toSorted()).toEqual(chunks);
  expect(data[0]?.filename).toMatch(/a\.png|c\.mp4/);
  for (const table of ['chunk_vectors', 'chunk_views'] as const) {
    const left = await last.db.selectFrom(table).select('embedder_id').execute();
    expect(left).toHaveLength(4);
    expect(new Set(left.map(({ embedder_id: id }) => id))).toEqual(new Set([answering]));
  }
});

test('what the descriptors embedded is embedded again for the built-in embedder, behind the searches', async () => {
  await using copy = await copyIndexed();
  await using last = await start(copy.folder, { embedder: 'auto' });
  const chunksOf = (hits: SearchHit[]) => hits.map(({ chunk_id: id }) => id).toSorted();
  const seen: string[] = [];
  while (seen.at(-1) !== 'builtin@4') {
    const { data, meta } = await last.client.search('red');
    expect(chunksOf(data)).toEqual(copy.chunks);
    seen.push(meta.embedder);
    await delay(50);
  }
  expect(seen[0]).toBe('descriptors@2');
  expect(await embedderOf(last.client)).toMatchObject({ kind: 'builtin', dimensions: 602, reindexing: null });
  for (const table of ['chunk_vectors', 'chunk_views'] as const) {
    const stored = await last.db.selectFrom(table).select('embedder_id').execute();
    expect(stored.map(({ embedder_id: id }) => id)).toEqual(Array.from({ length: 4 }, () => 'builtin@4'));
  }
  expect(names((await last.client.search('green')).data)[0]).toBe('b.png');
  const image = (await readFile(made.file('b.png'))).toString('base64');
  const alike = await last.client.post<SearchHit[]>('/media/search/image', { image });
  expect(alike.data[0]).toMatchObject({ filename: 'b.png', signals: { visual: expect.closeTo(1, 3) } });
  // Any English text has a vector; of other words the response says so.
  expect((await last.client.search('a dog on the beach')).meta).not.toHaveProperty('unknown_terms');
  expect((await last.client.search('зелёный')).meta).toMatchObject({
    unknown_terms: ['зелёный'],
    notice: 'The model does not understand “зелёный”; searched for in text only.',
  });
});

test('chunks that were indexed before views existed get them in the background, also across a restart', async () => {
  await using models = await temporaryFolder();
  await makeTinyModel(models.file('tiny'), 'clip');
  const embedder = models.file('tiny');
  await using first = await startTestService({ embedder });
  const { folder, db } = first;
  await upload(first.client);
  const views = () => last.db.selectFrom('chunk_views').selectAll().orderBy('chunk_number').execute();
  const before = await db.selectFrom('chunk_views').selectAll().orderBy('chunk_number').execute();
  expect(before).toHaveLength(4);
  const vectors = await db.selectFrom('chunk_vectors').selectAll().execute();
  await first.stop();
  {
    // As the migration leaves it.
    const catalog = await openCatalog(catalogFile(path.join(folder, 'data')));
    await catalog.deleteFrom('chunk_views').execute();
    const items = await catalog.selectFrom('media_items').select(['workspace_id', 'id as media_id']).execute();
    const { id: active } = await catalog
      .selectFrom('embedders')
      .select('id')
      .where('id', 'like', 'tiny@%')
      .executeTakeFirstOrThrow();
    await catalog
      .insertInto('jobs')
      .values(items.map((item) => ({ ...item, ...newJob('reembed', { embedder_id: active }) })))
      .execute();
    await catalog.destroy();
  }
  await using last = await start(folder, { embedder });
  // The embedder does not change.
  expect(await embedderOf(last.client)).toMatchObject({ id: expect.stringMatching(/^tiny@/), reindexing: null });
  await expect.poll(views, { timeout: 60_000 }).toHaveLength(4);
  expect(await views()).toEqual(before);
  expect(await last.db.selectFrom('chunk_vectors').selectAll().execute()).toEqual(vectors);
  await expect.poll(() => last.db.selectFrom('jobs').selectAll().execute(), { timeout: 60_000 }).toEqual([]);
});

test('an unreadable item does not block the change', async () => {
  await using models = await temporaryFolder();
  await makeTinyModel(models.file('tiny'), 'clip');
  await using copy = await copyIndexed();
  const { folder, original } = copy;
  await truncate(path.join(folder, original), 20);
  await using last = await start(folder, { embedder: models.file('tiny') });
  await expect.poll(async () => (await embedderOf(last.client)).id, { timeout: 60_000 }).toMatch(/^tiny@/);
  expect(new Set(names((await last.client.search('red')).data))).toEqual(new Set(['a.png', 'c.mp4']));
  expect(names((await last.client.search('b')).data)).toContain('b.png');
});

test('a broken model is reported, and the built-in embedder is used', async () => {
  await using models = await temporaryFolder();
  await makeTinyModel(models.file('tiny'), 'clip');
  await truncate(models.file('tiny/onnx/text_model.onnx'), 60);
  await using service = await startTestService({ embedder: models.file('tiny'), logLevel: 'silent' });
  expect(await embedderOf(service.client)).toMatchObject({
    id: 'builtin@4',
    problem: expect.stringMatching(/tiny cannot be loaded/),
  });
  await upload(service.client, ['a.png', 'b.png']);
  expect(names((await service.client.search('green')).data)[0]).toBe('b.png');
});

test('a model that is asked for: the earlier embedder answers at once, the download resumes, and the model takes over', async () => {
  await using models = await temporaryFolder();
  await makeTinyModel(models.file('tiny'), 'siglip', { quantized: true });
  await using hub = await startModelHub(models.file('tiny'), { send: abortFirstDownload(100) });
  const settings = { embedder: hubPreset.name, modelHub: hub.url, logLevel: 'silent' };
  await using copy = await copyIndexed();
  const { folder } = copy;
  {
    await using broken = await start(folder, { ...settings, workers: 0 });
    expect(await embedderOf(broken.client)).toMatchObject({ id: 'descriptors@2', target: 'builtin@4' });
    // The hub closes the connection in the middle of the first weights.
    const partial = path.join(
      modelDirectory(path.join(folder, 'data')),
      `${hubPreset.name}.${'f'.repeat(12)}.partial`,
      'onnx/text_model_quantized.onnx',
    );
    await expect
      .poll(
        () =>
          stat(partial).then(
            ({ size }) => size,
            () => 0,
          ),
        { timeout: 60_000 },
      )
      .toBe(100);
  }
  await using last = await start(folder, settings);
  await expect
    .poll(async () => (await embedderOf(last.client)).id, { timeout: 60_000 })
    .toMatch(/^siglip-base-patch16-224@[0-9a-f]{8}:q8:2$/);
  expect(hub.requests.some((each) => each.endsWith('text_model_quantized.onnx bytes=100-'))).toBe(true);
  expect(names((await last.client.search('something green')).data)[0]).toBe('b.png');
});

test('auto uses the built-in embedder and downloads nothing', async () => {
  await using models = await temporaryFolder();
  await makeTinyModel(models.file('tiny'), 'siglip', { quantized: true });
  await using hub = await startModelHub(models.file('tiny'));
  await using service = await startTestService({ workers: 0, embedder: 'auto', modelHub: hub.url });
  expect(await embedderOf(service.client)).toMatchObject({
    id: 'builtin@4',
    target: 'builtin@4',
    download: null,
    problem: null,
  });
  expect(hub.requests).toEqual([]);
});

test('auto uses the model that was chosen', async () => {
  await using models = await temporaryFolder();
  await makeTinyModel(models.file('tiny'), 'siglip', { quantized: true });
  await using first = await startTestService({ workers: 0 });
  const { folder } = first;
  await writeSetting(first.db, chosenEmbedderSetting, hubPreset.name);
  await first.stop();
  const target = path.join(modelDirectory(path.join(folder, 'data')), hubPreset.name);
  await mkdir(path.dirname(target), { recursive: true });
  await rename(models.file('tiny'), target);
  await using last = await start(folder, { workers: 0, embedder: 'auto' });
  expect((await embedderOf(last.client)).id).toMatch(/^siglip-base-patch16-224@/);
});
