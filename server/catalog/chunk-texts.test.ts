import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createSecrets } from '../crypto/secrets.ts';
import { temporaryFolder } from '../testing/running-service.ts';
import { seedChunks } from '../testing/seed-chunks.ts';
import { toExcerptParts, mergeTextIndex, rankChunkTexts } from './chunk-texts.ts';
import { openCatalog } from './open-catalog.ts';
import { createWorkspace } from './workspaces.ts';

test('a full-text index of many segments is merged into one and returns the same matches', async () => {
  await using folder = await temporaryFolder();
  const db = await openCatalog(folder.file('catalog.db'));
  const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: 'Test', owner: 'Tester' });
  // By default SQLite merges some segments on insert.
  await sql`insert into chunk_texts (chunk_texts, rank) values ('automerge', 0)`.execute(db);
  const words = ['harbour', 'lighthouse', 'walrus'];
  for (let i = 0; i < 12; i++) {
    await seedChunks(db, id, 'test@1', { count: 30, perItem: 3 }, (place) => ({
      vector: Float32Array.of(1),
      text: `${words[place % 3]} ${words[(place + i) % 3]} number${place}`,
    }));
  }
  const countSegments = async () => (await sql`select distinct segid from chunk_texts_idx`.execute(db)).rows.length;
  const rankAll = () => Promise.all([...words, 'number7'].map((word) => rankChunkTexts(db, word, 1000)));
  const before = await rankAll();
  expect(await countSegments()).toBeGreaterThan(8);
  await mergeTextIndex(db);
  expect(await countSegments()).toBe(1);
  expect(await rankAll()).toEqual(before);
  expect(before[3]?.relevances.size).toBe(12);
  await db.destroy();
});

test('an excerpt is parsed in linear time, whatever brackets its text contains', () => {
  expect(toExcerptParts('a ⟦red⟧ car')).toEqual([
    { text: 'a ', matched: false },
    { text: 'red', matched: true },
    { text: ' car', matched: false },
  ]);
  const text = '⟦'.repeat(1_000_000);
  expect(toExcerptParts(text).map((part) => part.text.length)).toEqual([1_000_000]);
});
