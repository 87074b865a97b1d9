import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { createWorkspace } from '../../catalog/accounts/workspaces.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { seedChunks } from '../../testing/seed-chunks.ts';
import { rankFiltered } from './rank-chunks.ts';

test('of too many chunks only the newest are compared with each other; all are compared with their mean', async () => {
  await using folder = await temporaryFolder();
  const db = await openCatalog(folder.file('catalog.db'));
  const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: 'Test', owner: 'Tester' });
  // On a circle, except the first, which is the oldest, and the second to last.
  const [most, count] = [2000, 2010];
  const numbers = await seedChunks(db, id, 'test@1', { count, perItem: 10 }, (place) => ({
    vector:
      place === 0 || place === count - 2
        ? Float32Array.of(0, 0, place === 0 ? 2 : -2)
        : Float32Array.of(Math.cos(place), Math.sin(place), 0),
  }));
  const nearest = await rankFiltered(db, id, 'test@1', { type: 'video' }, 'knn', most);
  expect(nearest.omitted).toBe(10);
  expect(nearest.numbers).toHaveLength(most);
  expect(nearest.numbers[0]).toBe(numbers.at(-2));
  expect(Math.min(...nearest.numbers)).toBe(numbers[10]);
  const central = await rankFiltered(db, id, 'test@1', { type: 'video' }, 'centroid', most);
  expect(central.omitted).toBe(0);
  expect(central.numbers).toHaveLength(count);
  expect(new Set(central.numbers.slice(0, 2))).toEqual(new Set([numbers[0], numbers.at(-2)]));
  expect(central.scores).toEqual(central.scores.toSorted((a, b) => b - a));
  expect(await rankFiltered(db, id, 'test@1', { type: 'image' }, 'centroid')).toEqual({
    numbers: [],
    scores: [],
    omitted: 0,
  });
  await db.destroy();
});
