import { Worker } from 'node:worker_threads';
import { createIndexBuilder } from '@media-search/search-engine/builder/index-builder';
import { expect, onTestFinished, test } from 'vitest';
import { readLastChange } from '../catalog/media/item-changes.ts';
import { beginTimeline } from '../catalog/media/timelines.ts';
import { setUpSearch, textEmbedder } from '../testing/search-setup.ts';
import { seedChunks } from '../testing/seed-chunks.ts';
import type { BuilderData } from './builder-thread.ts';
import { createWorkspaceIndexes } from './workspace-indexes.ts';

test('a change that is gone when the index follows is not waited for', async () => {
  await using t = await setUpSearch();
  await beginTimeline(t.db);
  const mine = await t.addWorkspace('Mine');
  await seedChunks(t.db, mine, textEmbedder.id, { count: 3, perItem: 1 }, () => ({
    vector: new Float32Array(textEmbedder.dimensions).fill(0.25),
    text: 'harbour',
  }));
  const workerData: BuilderData = { location: t.location, directory: t.folder.file('indexes'), storage: null };
  let refreshes = 0;
  const builder = createIndexBuilder(
    () => new Worker(new URL('./builder-thread.ts', import.meta.url), { workerData }),
    {
      onSnapshot: (...sent) => indexes.accept(...sent),
      onProblem: (error) => expect.unreachable(String(error)),
    },
  );
  onTestFinished(() => builder.stop());
  const indexes = createWorkspaceIndexes({
    builder: {
      refresh(key) {
        refreshes += 1;
        return builder.refresh(key);
      },
      close: (id) => builder.close(id),
    },
    maxBytes: 2 ** 30,
    isOptional: false,
    onProblem: (error) => expect.unreachable(String(error)),
    getEmbedder: () => Promise.resolve(textEmbedder),
    forget: () => undefined,
  });
  const last = await readLastChange(t.db, mine);
  const asked = Array.from({ length: 3 }, () => indexes.open(mine, textEmbedder.id, last + 5));
  for (const found of await Promise.all(asked)) expect(found).toMatchObject({ change: last });
  expect(refreshes).toBeLessThanOrEqual(3);
});
