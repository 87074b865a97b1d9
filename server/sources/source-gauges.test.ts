import { expect, test } from 'vitest';
import { addSource, setSource } from '../catalog/sources/sources.ts';
import { openTestCatalog } from '../testing/test-catalog.ts';
import { createSourceGauges } from './source-gauges.ts';

test('sources are counted by state, with their files and the longest of the last scans', async () => {
  await using catalog = await openTestCatalog('sqlite');
  const { db, workspaceId } = catalog;
  const add = async (name: string) => {
    const row = await addSource(db, workspaceId, {
      name,
      kind: 'folder',
      location: `/${name}`,
      include: [],
      exclude: [],
      managed: false,
    });
    if (typeof row === 'string') throw new Error(row);
    return row;
  };
  const scan = (started: string, ended: string) =>
    JSON.stringify({ started_at: `2026-11-28T10:00:${started}Z`, ended_at: `2026-11-28T10:00:${ended}Z` });
  await setSource(db, await add('nas'), {
    scan_number: 3,
    last_scan: scan('00', '07'),
    file_count: 5,
    failed_count: 1,
    bytes: 100,
  });
  await setSource(db, await add('disk'), {
    scan_number: 1,
    last_scan: scan('00', '02'),
    file_count: 2,
    bytes: 11,
    offline_since: '2026-11-28T10:00:00Z',
  });
  const gauges = Object.fromEntries(
    await Promise.all(createSourceGauges(db).map(async ({ name, read }) => [name, await read()] as const)),
  );
  const values = (name: string) =>
    Object.fromEntries((gauges[name] ?? []).map(({ labels, value }) => [Object.values(labels).join(), value]));
  expect(values('media_search_sources')).toEqual({ new: 0, scanning: 0, ready: 1, paused: 0, offline: 1, removing: 0 });
  expect(values('media_search_source_files')).toEqual({ taken: 7, failed: 1 });
  expect(values('media_search_source_bytes')).toEqual({ '': 111 });
  expect(values('media_search_source_scans')).toEqual({ '': 4 });
  expect(values('media_search_source_last_scan_seconds')).toEqual({ '': 7 });
});
