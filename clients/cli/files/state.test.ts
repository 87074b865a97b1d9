import { appendFile, readdir, readFile, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { openState } from './state.ts';

const file = { path: '/videos/a.mp4', size: 3, signature: '3:1:1:7' };
const open = (folder: string, workspace = 'w') => openState(folder, 'http://host/api/v1', workspace);

test('what was noted is there in the next run, for its workspace', async () => {
  await using folder = await temporaryFolder();
  const first = open(folder.path);
  first.noteChecksum(file, 'aa');
  first.noteSent('aa', { id: '1' });
  first.keepUpload('bb', 'http://host/api/v1/uploads/1');
  first.keepUpload('cc', 'http://host/api/v1/uploads/2');
  first.keepUpload('cc', null);

  const next = open(folder.path);
  expect(next.checksumOf(file)).toBe('aa');
  expect(next.checksumOf({ ...file, signature: '3:2:2:7' })).toBeUndefined();
  expect(next.sent('aa')).toEqual({ id: '1' });
  expect([next.uploadOf('bb'), next.uploadOf('cc')]).toEqual(['http://host/api/v1/uploads/1', null]);
  const other = open(folder.path, 'x');
  expect([other.sent('aa'), other.uploadOf('bb'), other.checksumOf(file)]).toEqual([undefined, null, 'aa']);
});

test('a line that was cut off is left out, old lines go, and others cannot read any', async () => {
  await using folder = await temporaryFolder();
  const lines = path.join(folder.path, 'checksums.jsonl');
  const first = open(folder.path);
  for (let i = 0; i < 1500; i++) first.noteChecksum({ ...file, signature: String(i) }, 'aa');
  await appendFile(lines, '["/videos/b.mp4",["1"');
  const next = open(folder.path);
  next.noteChecksum({ ...file, path: '/videos/c.mp4' }, 'cc');
  expect(open(folder.path).checksumOf({ ...file, signature: '1499' })).toBe('aa');
  expect(open(folder.path).checksumOf({ ...file, path: '/videos/c.mp4' })).toBe('cc');
  expect((await readFile(lines, 'utf8')).split('\n')).toHaveLength(3);
  expect(((await stat(lines)).mode & 0o777).toString(8)).toBe('600');
});

test('an upload that the service has forgotten is forgotten here', async () => {
  await using folder = await temporaryFolder();
  open(folder.path).keepUpload('bb', 'http://host/api/v1/uploads/1');
  const scope = (await readdir(folder.path)).find((name) => name.length === 16) ?? '';
  const old = new Date(Date.now() - 49 * 3_600_000);
  await utimes(path.join(folder.path, scope, 'uploads', 'bb'), old, old);
  expect(open(folder.path).uploadOf('bb')).toBeNull();
});
