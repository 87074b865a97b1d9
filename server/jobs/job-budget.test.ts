import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { drawGif } from '../../packages/media/testing/draw-gif.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createFileAssetStore } from '../assets/file-asset-store.ts';
import { findMedia } from '../catalog/media/media-items.ts';
import { createJobContext, runJob } from '../testing/run-job.ts';
import { claim, openTestCatalog } from '../testing/test-catalog.ts';
import { handlerOf } from './job-handlers.ts';

/** Indexes a file as a worker does that gives each as much processor time, seconds. @returns what became of the item */
async function index(name: string, content: Buffer, processorSeconds: number) {
  await using folder = await temporaryFolder();
  await using t = await openTestCatalog();
  const { id, workspace_id } = await t.add(name);
  const assets = createFileAssetStore(folder.path);
  await writeFile(folder.file('upload'), content);
  await assets.putOriginal(folder.file('upload'), { workspace_id, id, filename: name, sha256: 'a'.repeat(64) });
  const limits = { maxSeconds: 86_400, maxFrames: 1_000_000 };
  const context = createJobContext(t.db, folder.path, { limits, processorSecondsFor: () => processorSeconds });
  const job = await claim(t.db, 'a');
  await runJob(context, job, (attempt) => handlerOf(job).run(context, job, attempt));
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
});

test('an animation of some hundred frames is indexed whole', async () => {
  // 300 frames of 10 ms.
  expect(await index('animation.gif', drawGif(300), 120)).toMatchObject({ status: 'complete', duration: 3 });
});
