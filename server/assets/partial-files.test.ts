import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { appendFile, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { type S3Server, startS3Server } from '../testing/s3-server.ts';
import { type AssetOwner, uploaded } from './asset-store.ts';
import { openStoredFiles } from './open-stored-files.ts';
import type { PartialFile, PartialFiles } from './partial-files.ts';
import { readStorageSettings } from './storage-settings.ts';

let server: S3Server;

beforeAll(async () => {
  server = await startS3Server();
});

afterAll(() => server[Symbol.asyncDispose]());

const places: [string, () => Record<string, string>][] = [
  ['a data folder', () => ({})],
  ['a bucket', () => ({ ...server.environment, STORAGE_URL: `s3://media/${randomUUID()}/a+b` })],
];
const mebibyte = 2 ** 20;
const content = randomBytes(9 * mebibyte + 5);
const sha256 = createHash('sha256').update(content).digest('hex');

describe.each(places)('%s', (_, environment) => {
  async function setUp(length = content.length) {
    const folder = await temporaryFolder();
    const storage = readStorageSettings(environment());
    const open = () => openStoredFiles({ dataDirectory: folder.path, storage });
    const files = await open();
    await files.assets.prepare();
    const partialFile: PartialFile = {
      workspace_id: 'w',
      id: randomUUID(),
      item_id: randomUUID(),
      filename: 'fïlm.mp4',
      sha256: null,
      length,
      received: 0,
      stored: null,
    };
    return {
      ...files,
      folder,
      open,
      partialFile,
      own: { workspace_id: 'w', id: partialFile.item_id },
      file: folder.file(path.join('partial-files', 'w', partialFile.id)),
      [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
    };
  }

  /** Appends the bytes up to a position as one request does, and notes it. */
  async function append(partialFiles: PartialFiles, partialFile: PartialFile, end: number): Promise<void> {
    const writer = await partialFiles.open(partialFile);
    for (let at = partialFile.received; at < end; at += 65_536) {
      await writer.write(content.subarray(at, Math.min(end, at + 65_536)));
    }
    partialFile.stored = await writer.flush();
    partialFile.received = end;
    await writer.settle();
    await writer.close();
  }

  const listed = async (partialFiles: PartialFiles) => {
    const found: AssetOwner[] = [];
    for await (const { workspace_id, id } of partialFiles.list()) found.push({ workspace_id, id });
    return found;
  };

  test('what arrives in parts of any size, at processes one after the other, becomes an original', async () => {
    await using t = await setUp();
    const { partialFile } = t;
    const ends = [1, 700_000, 8 * mebibyte, 8 * mebibyte + 1, content.length];
    for (const end of ends) {
      await append((await t.open()).partialFiles, partialFile, end);
      expect((await listed(t.partialFiles)).length).toBeLessThan(2);
    }
    expect(await t.assets.stat(uploaded(t.own))).toBeNull();
    await t.partialFiles.complete(partialFile, sha256);
    const read = await buffer(t.assets.read(uploaded(t.own)));
    expect(createHash('sha256').update(read).digest('hex')).toBe(sha256);
    // As after a crash between this and its row.
    await (await t.open()).partialFiles.complete(partialFile, sha256);
    await t.partialFiles.remove(partialFile);
    await t.partialFiles.remove(partialFile);
    expect((await t.assets.stat(uploaded(t.own)))?.bytes).toBe(content.length);
    expect(await listed(t.partialFiles)).toEqual([]);
    const ofItem = [...server.objects.keys()].filter((key) => key.includes(partialFile.id));
    expect([ofItem, [...server.uploads.values()].filter(({ key }) => key.includes(partialFile.item_id))]).toEqual([
      [],
      [],
    ]);
  });

  test('bytes that were written and not noted do not count', async () => {
    await using t = await setUp(100);
    const { partialFiles, partialFile } = t;
    await append(partialFiles, partialFile, 40);
    const writer = await partialFiles.open(partialFile);
    await writer.write(randomBytes(30));
    await writer.flush();
    await writer.close();
    await append(partialFiles, partialFile, 100);
    await partialFiles.complete(partialFile, sha256);
    expect(await buffer(t.assets.read(uploaded(t.own)))).toEqual(content.subarray(0, 100));
  });

  test('a partial file whose bytes are gone says so, and one that never had any is removed', async () => {
    await using t = await setUp(100);
    const { partialFiles, partialFile } = t;
    await partialFiles.remove(partialFile);
    await append(partialFiles, partialFile, 40);
    await partialFiles.remove(partialFile);
    const lost = { ...partialFile, stored: null };
    await expect(partialFiles.open(lost)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(partialFiles.complete({ ...lost, received: 100 }, sha256)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(partialFiles.complete({ ...partialFile, received: 100 }, sha256)).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  test('what is given up before anything of it is noted leaves nothing', async () => {
    await using t = await setUp();
    const { partialFiles, partialFile } = t;
    for (const bytes of [0, content.length - 1]) {
      const writer = await partialFiles.open(partialFile);
      await writer.write(content.subarray(0, bytes));
      await writer.rollBack(0);
      await writer.close();
    }
    expect([...server.uploads.values()].filter(({ key }) => key.includes(partialFile.item_id)).length).toBe(0);
    // What is noted stays.
    const writer = await partialFiles.open(partialFile);
    await writer.write(content.subarray(0, 5));
    Object.assign(partialFile, { stored: await writer.flush(), received: 5 });
    await writer.write(content.subarray(5, 9));
    await writer.rollBack(5);
    await writer.close();
    await append(partialFiles, partialFile, content.length);
    await partialFiles.complete(partialFile, sha256);
    expect(content.equals(await buffer(t.assets.read(uploaded(t.own))))).toBe(true);
  });

  test('files of a partial file that no row names are listed with their age, and removed', async () => {
    await using t = await setUp(100);
    const { partialFiles, partialFile } = t;
    await append(partialFiles, partialFile, 40);
    let found: (AssetOwner & { changedAt: Date }) | undefined;
    for await (const each of partialFiles.list()) found = each;
    expect(found).toMatchObject({ workspace_id: 'w', id: partialFile.id });
    expect(Math.abs(Date.now() - Number(found?.changedAt))).toBeLessThan(10_000);
    await partialFiles.removeUnlisted({ workspace_id: 'w', id: partialFile.id });
    expect(await listed(partialFiles)).toEqual([]);
  });
});

test('a file in a folder that became shorter than its row is lost, one that is longer is cut off', async () => {
  await using folder = await temporaryFolder();
  const { partialFiles } = await openStoredFiles({ dataDirectory: folder.path, storage: null });
  const about = { filename: 'a', sha256: null, length: 9, stored: null, item_id: 'i' };
  const partialFile: PartialFile = { workspace_id: 'w', id: 'u', ...about, received: 0 };
  const file = folder.file('partial-files/w/u');
  const first = await partialFiles.open(partialFile);
  await first.write(Buffer.from('12345'));
  await first.flush();
  await first.close();
  await appendFile(file, 'torn');
  await (await partialFiles.open({ ...partialFile, received: 5 })).close();
  expect((await stat(file)).size).toBe(5);
  await truncate(file, 4);
  await expect(partialFiles.open({ ...partialFile, received: 5 })).rejects.toMatchObject({ code: 'ENOENT' });
  // What was written behind the last noted byte is no part of the original.
  const whole = { ...partialFile, received: 4, length: 4 };
  await appendFile(file, 'torn');
  await partialFiles.complete(whole, 'x');
  expect((await stat(folder.file('assets/w/i/original'))).size).toBe(4);
});
