import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { makeEarlierCatalog } from '../testing/earlier-catalog.ts';
import { openCatalog } from './open-catalog.ts';

test('of an earlier version only lines without a track are read again, and its speech is as urgent as on-screen text', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('catalog.db');
  const old = await makeEarlierCatalog(file, '0025');
  await sql`insert into workspaces (id, name, plan_id, created_at) values ('w', 'Old', 'self-hosted', '2026')`.execute(
    old,
  );
  for (const [id, track] of [
    ['mixed', null],
    ['tracked', 2],
  ] as const) {
    await sql`insert into media_items (workspace_id, id, filename, type, status, size, mime_type, sha256, created_at, updated_at)
      values ('w', ${id}, 'a.mkv', 'video', 'complete', 7, 'video/matroska', ${id}, '2026', '2026')`.execute(old);
    await sql`insert into text_segments (workspace_id, media_id, source, track, start_time, end_time, text)
      values ('w', ${id}, 'subtitle', ${track}, 0, 1, 'Hello'), ('w', ${id}, 'chapter', null, 0, 1, 'One')`.execute(
      old,
    );
  }
  await sql`insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
    values ('w', 'tracked', 'ocr', 3, '{}', '2026'), ('w', 'tracked', 'speech', 5, '{}', '2026')`.execute(old);
  await old.destroy();
  await using db = await openCatalog(file);
  const jobs = await db.selectFrom('jobs').select(['media_id', 'kind', 'priority']).orderBy('kind').execute();
  expect(jobs).toEqual([
    { media_id: 'tracked', kind: 'ocr', priority: 3 },
    { media_id: 'tracked', kind: 'speech', priority: 4 },
    { media_id: 'mixed', kind: 'subtitles', priority: 6 },
  ]);
});
