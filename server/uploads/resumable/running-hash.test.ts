import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { truncate } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { openStoredFiles } from '../../assets/open-stored-files.ts';
import type { UploadRow } from '../../catalog/media/uploads.ts';
import { forgetHash, loadHash } from './running-hash.ts';

const content = randomBytes(1_000_003);
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function setUp() {
  const folder = await temporaryFolder();
  const { assets, partialFiles } = await openStoredFiles({ dataDirectory: folder.path, storage: null });
  await assets.prepare();
  const row = {
    workspace_id: 'w',
    id: randomUUID(),
    item_id: randomUUID(),
    filename: 'film.mp4',
    sha256: null,
    length: content.length,
    received: 0,
    stored: null,
  } as UploadRow;
  /** As another process does, which remembers what it hashed, and this one does not. */
  async function receiveElsewhere(end: number, bytes = content) {
    const writer = await partialFiles.open(row);
    await writer.write(bytes.subarray(row.received, end));
    await writer.flush();
    await writer.close();
    row.received = end;
  }
  const digest = async () => (await loadHash(partialFiles, row)).digest();
  const file = folder.file(path.join('partial-files', 'w', row.id));
  return { partialFiles, row, receiveElsewhere, digest, file, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

test('a hash goes on behind bytes of this process and of others, and after a restart', async () => {
  await using t = await setUp();
  await t.receiveElsewhere(300_000);
  const hash = await loadHash(t.partialFiles, t.row);
  hash.update(content.subarray(300_000, 300_001));
  await t.receiveElsewhere(300_001);
  hash.noteStored(300_001);
  // What comes after it is no part of what was noted.
  hash.update(Buffer.from('never stored'));
  expect(await t.digest()).toBe(digestOf(content.subarray(0, 300_001)));
  await t.receiveElsewhere(content.length);
  expect(await t.digest()).toBe(digestOf(content));
  forgetHash(t.row.id);
  expect(await t.digest()).toBe(digestOf(content));
  // The process was killed when the file had become the original.
  await t.partialFiles.complete(t.row, 'x');
  expect(await t.digest()).toBe(digestOf(content));
});

test('bytes that were hashed and are not in the catalog do not count', async () => {
  await using t = await setUp();
  const hash = await loadHash(t.partialFiles, t.row);
  hash.update(Buffer.alloc(500, 1));
  hash.noteStored(500);
  await t.receiveElsewhere(100);
  expect(await t.digest()).toBe(digestOf(content.subarray(0, 100)));
});

test('bytes that are missing have no hash', async () => {
  await using t = await setUp();
  await t.receiveElsewhere(1000);
  await truncate(t.file, 999);
  await expect(t.digest()).rejects.toMatchObject({ code: 'ENOENT' });
  await t.partialFiles.remove(t.row);
  await expect(t.digest()).rejects.toMatchObject({ code: 'ENOENT' });
});

test('reading again ends with the request', async () => {
  await using t = await setUp();
  await t.receiveElsewhere(1000);
  const reason = new Error('gone');
  await expect(loadHash(t.partialFiles, t.row, AbortSignal.abort(reason))).rejects.toBe(reason);
});
