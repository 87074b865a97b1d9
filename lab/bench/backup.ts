import { createHash, randomBytes, randomUUIDv7 } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import type { AssetStore } from '../../server/assets/asset-store.ts';
import { openStoredFiles } from '../../server/assets/open-stored-files.ts';
import type { StorageSettings } from '../../server/assets/storage-settings.ts';
import type { Catalog } from '../../server/catalog/schema.ts';
import { readFileList, readManifest } from '../../server/operations/transfer/backup-folder.ts';
import { createBackup } from '../../server/operations/transfer/create-backup.ts';
import { forEach } from '../../server/platform/storage/for-each.ts';
import { hashFile } from '../../server/platform/storage/hash-file.ts';
import { type S3Server, startS3Server } from '../../server/testing/s3-server.ts';
import { openTestCatalog } from '../../server/testing/test-catalog.ts';

/**
 * Time of a backup for each item, from a data folder and from a bucket: the first one, one after which nothing changed, and one with a
 * twentieth of the items new. Exits with 1 when a backup lacks a file or holds a wrong one.
 *
 *     npm run node -- lab/bench/backup.ts [--items 2000] [--bytes 40000] [--renditions 6] [--folder <where backups go>]
 *
 * With `TEST_DATABASE_URL` the catalog is in PostgreSQL. Beside the time it takes, it says how long the disk takes to sync one file.
 */

const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '2000' },
    bytes: { type: 'string', default: '40000' },
    renditions: { type: 'string', default: '6' },
    folder: { type: 'string', default: os.tmpdir() },
  },
});
const count = Number(values.items);
const backend = process.env['TEST_DATABASE_URL'] === undefined ? 'sqlite' : 'postgres';
const silent = { addTotal: () => undefined, advance: () => undefined, end: () => undefined };

console.log(`${count} items of ${values.bytes} bytes with ${values.renditions} renditions, catalog in ${backend}`);
console.log(`load ${os.loadavg()[0]?.toFixed(1)}; a file is synced in ${(await syncMs()).toFixed(2)} ms\n`);
console.log('| files | backup | ms an item | processor ms an item | copied |\n| --- | --- | ---: | ---: | ---: |');
for (const place of ['folder', 'bucket'] as const) await measure(place);

async function measure(place: 'folder' | 'bucket'): Promise<void> {
  await using data = await temporaryFolder();
  await using catalog = await openTestCatalog(backend);
  await using bucket = await startS3Server();
  const { assets } = await openStoredFiles({
    dataDirectory: data.path,
    storage: place === 'bucket' ? storageIn(bucket) : null,
  });
  await assets.prepare();
  await writeFile(data.file('secret.key'), Buffer.alloc(32, 7));
  const folder = path.join(values.folder, `media-search-backup-${process.pid}`);
  const originals = new Map<string, string>();
  const add = (items: number) => addItems({ items, assets, data, catalog, originals });
  await add(count);
  const steps: [name: string, added: number, copied: number][] = [
    ['first', 0, count],
    ['nothing new', 0, 0],
    ['a twentieth new', Math.ceil(count / 20), Math.ceil(count / 20)],
  ];
  try {
    for (const [name, added, expected] of steps) {
      await add(added);
      const begun = performance.now();
      const used = process.cpuUsage();
      const report = await createBackup({
        db: catalog.db,
        assets,
        secretKeyFile: data.file('secret.key'),
        folder,
        software: 'bench',
        progress: silent,
      });
      const ms = performance.now() - begun;
      const { user, system } = process.cpuUsage(used);
      if (report.copied !== expected || report.items !== originals.size || report.missing.length > 0)
        throw new Error(`The backup is wrong: ${JSON.stringify(report)}`);
      const each = (value: number) => (value / originals.size).toFixed(2);
      console.log(`| ${place} | ${name} | ${each(ms)} | ${each((user + system) / 1000)} | ${report.copied} |`);
    }
    await compare(folder, originals);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const storageIn = ({ url, environment }: S3Server): StorageSettings => ({
  bucket: 'media',
  prefix: '',
  endpoint: url,
  region: environment['AWS_REGION'] ?? null,
  credentials: {
    accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
  },
  redirect: false,
  cacheBytes: 20 * 2 ** 30,
  idleMs: 10_000,
});

type Adding = {
  items: number;
  assets: AssetStore;
  data: Awaited<ReturnType<typeof temporaryFolder>>;
  catalog: Awaited<ReturnType<typeof openTestCatalog>>;
  originals: Map<string, string>;
};

/** Stores items with their files, as indexing leaves them. */
async function addItems({ items, assets, data, catalog, originals }: Adding): Promise<void> {
  const numbers = Array.from({ length: items }, (_, i) => i);
  await forEach(numbers, 8, async (i) => {
    const scratch = data.file(`scratch-${i}`);
    await mkdir(path.join(scratch, 'renditions'), { recursive: true });
    const bytes = randomBytes(Number(values.bytes));
    const file = path.join(scratch, 'original');
    await writeFile(file, bytes);
    for (let n = 0; n < Number(values.renditions); n++)
      await writeFile(path.join(scratch, 'renditions', `${n}.webp`), randomBytes(5000));
    const row = { workspace_id: catalog.workspaceId, id: randomUUIDv7() };
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await assets.putOriginal(file, { ...row, filename: `${i}.png`, sha256 });
    await assets.putRenditions(row, 1, path.join(scratch, 'renditions'));
    await rm(scratch, { recursive: true });
    originals.set(row.id, sha256);
    await insertItem(catalog.db, { ...row, sha256, size: bytes.length });
  });
}

async function insertItem(
  db: Catalog,
  row: { workspace_id: string; id: string; sha256: string; size: number },
): Promise<void> {
  const time = '2026-01-01T00:00:00.000Z';
  await db
    .insertInto('media_items')
    .values({
      ...row,
      filename: `${row.id}.png`,
      type: 'image',
      status: 'complete',
      mime_type: 'image/png',
      renditions_token: 1,
      poster_file: '0.webp',
      indexed_at: time,
      created_at: time,
      updated_at: time,
    })
    .execute();
}

/** Every file that the backup lists is there and has its checksum, and each original and its renditions are listed. */
async function compare(folder: string, originals: Map<string, string>): Promise<void> {
  const manifest = await readManifest(folder);
  let [found, renditions] = [0, 0];
  for await (const { path: name, sha256 } of readFileList(path.join(folder, manifest.files.path))) {
    if ((await hashFile(path.join(folder, name))) !== sha256) throw new Error(`${name} is damaged.`);
    const [, , id = '', file] = name.split('/');
    if (file === 'original' && originals.get(id) === sha256) found += 1;
    if (file !== 'original') renditions += (await readdir(path.join(folder, path.dirname(name)))).length - 1;
  }
  const expected = originals.size * Number(values.renditions);
  if (found !== originals.size || renditions !== expected)
    throw new Error(`The backup holds ${found} originals and ${renditions} renditions.`);
}

/** Median time that writing and syncing a small file takes. */
async function syncMs(): Promise<number> {
  await using folder = await temporaryFolder();
  const times: number[] = [];
  for (let i = 0; i < 50; i++) {
    const begun = performance.now();
    await writeFile(folder.file(`${i}`), randomBytes(5000), { flush: true });
    times.push(performance.now() - begun);
  }
  return times.toSorted((a, b) => a - b)[25] ?? 0;
}
