import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createFileAssetStore } from '../assets/file-asset-store.ts';
import { findMedia } from '../catalog/media-items.ts';
import { descriptorsEmbedder } from '../models/descriptors/descriptors-embedder.ts';
import { createScratch } from '../storage/scratch.ts';
import { drawGif } from '../testing/draw-gif.ts';
import { temporaryFolder } from '../testing/running-service.ts';
import { claim, openTestCatalog } from '../testing/test-catalog.ts';
import { handlerOf, type JobContext } from './job-handlers.ts';
import { settleJob } from './settle-job.ts';

const ignore = () => undefined;

/** Indexes a file as a worker does that gives each as much processor time, seconds. @returns what became of the item */
async function index(name: string, content: Buffer, processorSeconds: number) {
  await using folder = await temporaryFolder();
  await using t = await openTestCatalog();
  const { id, workspace_id } = await t.add(name);
  const assets = createFileAssetStore(folder.path);
  await writeFile(folder.file('upload'), content);
  await assets.putOriginal(folder.file('upload'), { workspace_id, id, filename: name, sha256: 'a'.repeat(64) });
  const context: JobContext = {
    db: t.db,
    assets,
    scratch: createScratch(folder.path),
    log: { info: ignore, warn: ignore, error: ignore },
    loadEmbedder: () => Promise.resolve(descriptorsEmbedder),
    target: { kind: 'descriptors', id: descriptorsEmbedder.id, dimensions: descriptorsEmbedder.dimensions },
    limits: { maxSeconds: 86_400, maxFrames: 1_000_000 },
    processorSecondsFor: () => processorSeconds,
    readers: { ocr: null, speech: null },
  };
  const job = await claim(t.db, 'a');
  const stopping = new AbortController().signal;
  try {
    await handlerOf(job).run(context, job, {
      signal: stopping,
      onLeaseLost: ignore,
      onAdvance: ignore,
      onIndexed: ignore,
      isRelief: false,
      hasHadTurn: () => false,
      shouldYield: () => Promise.resolve(false),
      isTurnOver: () => Promise.resolve(false),
    });
  } catch (error) {
    await settleJob({ ...context, stopping, onRetry: ignore }, job, error);
  }
  return await findMedia(t.db, workspace_id, id);
}

test('a small file that takes very much work ends in an error that says so, at its first attempt', async () => {
  const file = drawGif(9999, 480);
  expect(file.length).toBeLessThan(250_000);
  expect(await index('endless.gif', file, 1)).toMatchObject({
    status: 'error',
    error_code: 'too_large',
    error_message: expect.stringContaining('far more work than its size allows') as string,
  });
}, 120_000);

test('an animation of some hundred frames is indexed whole', async () => {
  // 300 frames of 10 ms.
  expect(await index('animation.gif', drawGif(300), 120)).toMatchObject({ status: 'complete', duration: 3 });
}, 120_000);
