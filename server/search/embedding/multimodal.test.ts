import path from 'node:path';
import type { EmbedderReference } from '@media-search/models/embedder';
import { dot } from '@media-search/search-engine/vectors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { makeTinyGemma } from '../../../packages/models/testing/tiny-gemma.ts';
import { createFileAssetStore } from '../../assets/file-asset-store.ts';
import { readTargetEmbedder } from '../../catalog/embedders.ts';
import { locateCatalog } from '../../platform/storage/data-directory.ts';
import { startTestService } from '../../testing/running-service.ts';
import { embedImageQuery, type ImageSource } from '../query-images/embed-image-query.ts';
import { createQueryPool } from '../query-workers/query-pool.ts';
import { createTextEmbedders } from './text-embedders.ts';

let models: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Awaited<ReturnType<typeof startTestService>>;
const items: Record<string, string> = {};

const red = plain(220, 20, 20);
const tone = Float32Array.from({ length: 32_000 }, (_, i) => 0.9 * Math.sin(i / 5));

beforeAll(async () => {
  models = await temporaryFolder();
  await makeTinyGemma(models.file('tiny-gemma'), '_quantized');
  service = await startTestService({ embedder: `${models.file('tiny-gemma')}:256` });
  const file = (name: string) => path.join(service.folder, name);
  const scenes = [{ paint: red, seconds: 2 }];
  await makeVideo(file('loud.mkv'), { scenes, audio: tone, audioCodec: 'pcm' });
  await makeVideo(file('still.mkv'), { scenes, audio: new Float32Array(32_000), audioCodec: 'pcm' });
  await makePhoto(file('red.png'), red);
  await makePhoto(file('blue.png'), plain(20, 30, 220));
  for (const name of ['loud.mkv', 'still.mkv', 'red.png', 'blue.png']) {
    items[name] = (await service.client.upload(file(name))).data.id;
    await service.client.waitUntilIndexed(items[name]);
  }
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await models[Symbol.asyncDispose]();
});

const search = async (words: string): Promise<string[]> =>
  (await service.client.search(words, '&in=visual')).data.map(({ filename }) => filename);

test('a model of the form of EmbeddingGemma 2 finds moments by what is heard, and pictures by what is seen', async () => {
  const { data } = await service.client.get<{ embedder: { id: string; dimensions: number } }>('/workspace');
  expect(data.embedder).toMatchObject({
    dimensions: 256,
    id: expect.stringMatching(/^tiny-gemma@[0-9a-f]{8}:q8:2:256$/),
  });
  expect((await search('loud'))[0]).toBe('loud.mkv');
  expect((await search('quiet'))[0]).toBe('still.mkv');
  expect((await search('blue'))[0]).toBe('blue.png');
});

test('an image of the workspace, or of a file, and words are embedded in one call', async () => {
  const { db, workspaceId } = service;
  const settings = { dataDirectory: service.environment['DATA_DIR'] as string, databaseUrl: null };
  const queryPool = createQueryPool(settings.dataDirectory, locateCatalog(settings), 1);
  const assets = createFileAssetStore(settings.dataDirectory);
  const reference = (await readTargetEmbedder(db)) as EmbedderReference;
  const texts = createTextEmbedders();
  const embedder = texts.createQueryEmbedder(reference);
  const { signal } = new AbortController();
  const embed = async (source: ImageSource, words?: string) => {
    const parts = { db, assets, queryPool, outbound: { allowedAddresses: [] } };
    const [vector] = await embedImageQuery(parts, { workspaceId, embedder, signal, words }, source);
    return vector as Float32Array;
  };
  const blue = (await embedder.embedText('blue')).vector as Float32Array;
  const { data: chunks } = await service.client.get<{ id: string }[]>(`/media/${items['loud.mkv']}/chunks`);
  const of = (name: string, more: object = {}) => ({
    kind: 'media' as const,
    mediaId: items[name] as string,
    at: undefined,
    chunkId: undefined,
    ...more,
  });
  const sources: ImageSource[] = [
    { kind: 'file', path: path.join(service.folder, 'red.png') },
    of('red.png'),
    of('loud.mkv', { at: 1 }),
    of('loud.mkv', { chunkId: chunks[0]?.id }),
    of('loud.mkv'),
  ];
  for (const source of sources) {
    const [plainly, composed] = [await embed(source), await embed(source, 'blue')];
    expect(composed).toHaveLength(256);
    expect(dot(composed, blue)).toBeGreaterThan(dot(plainly, blue) + 0.1);
  }
  await expect(embed(of('loud.mkv', { chunkId: items['red.png'] }), 'blue')).rejects.toMatchObject({
    code: 'not_found',
  });
  await queryPool.stop();
  await texts.stop();
});

test('a number of dimensions that its vectors cannot be cut to is refused in a sentence', async () => {
  await using other = await startTestService({
    embedder: `${models.file('tiny-gemma')}:300`,
    workers: 0,
    logLevel: 'silent',
  });
  const { data } = await other.client.get<{ embedder: { problem: string } }>('/workspace');
  expect(data.embedder.problem).toMatch(
    /^The vectors of tiny-gemma cannot be cut to 300 numbers; they can to 512, 256, 128\.$/,
  );
});
