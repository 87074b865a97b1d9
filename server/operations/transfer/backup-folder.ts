import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import SQLite from 'better-sqlite3';
import { z } from 'zod';
import type { RenditionOwner } from '../../assets/asset-store.ts';
import { assetPath, itemPath, renditionPath } from '../../assets/disk-layout.ts';
import { StartupError } from '../../errors/startup-error.ts';
import type { FileChecksum } from '../../platform/storage/copy-file.ts';
import { createFolderSynced, syncToDisk, writeSynced } from '../../platform/storage/durable-files.ts';
import type { TransferSource } from './transfer-items.ts';

/**
 * A backup on disk:
 *
 *     media-search-backup.json              which catalog is backed up here; written first
 *     manifest.json                         names the current catalog and list; written last, which completes a backup
 *     catalog-<time>.db                     the catalog
 *     files-<time>.jsonl                    every other file with its length and SHA-256, one per line
 *     secret.key                            the key that encrypts API keys
 *     assets/<workspace>/<item>/original
 *     assets/<workspace>/<item>/renditions-<time of indexing>/…     with files.json, the length and SHA-256 of each
 *     backup.lock                           held during a backup
 *
 * Folders of items are laid out as in a data folder (`assets/disk-layout.ts`), except that renditions have the time in their name, so that a
 * backup never overwrites those of the previous one.
 */

const markerName = 'media-search-backup.json';
const manifestName = 'manifest.json';
const lockName = 'backup.lock';
export const secretName = 'secret.key';
/** In each folder of renditions. */
export const renditionListName = 'files.json';

const checksumSchema = { bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) };
/** Must not lead out of the backup. */
const relativePath = z.string().refine((name) => name.split('/').every((part) => !['', '.', '..'].includes(part)));
const fileSchema = z.object({ path: relativePath, ...checksumSchema });
export type ListedFile = z.output<typeof fileSchema>;

const markerSchema = z.object({
  format: z.literal('media-search-backup'),
  /** SHA-256 of the secret key: backups of another catalog are not mixed into this one. */
  secret_sha256: checksumSchema.sha256,
});

const manifestSchema = z.object({
  format: z.literal('media-search-backup'),
  version: z.literal(1, 'was made by a newer version of Media Search; restore it with that version'),
  created_at: z.string(),
  software: z.string(),
  items: z.int().min(0),
  /** Items whose originals are in sources, and so not in the backup. Backups of earlier versions do not say it: they have none. */
  elsewhere: z.int().min(0).default(0),
  /** Bytes of all originals that are in it. */
  bytes: z.int().min(0),
  catalog: fileSchema,
  secret: fileSchema,
  files: fileSchema,
  /** Originals that were missing or damaged, and so are not in the backup. */
  missing: z.array(z.object({ workspace_id: z.string(), id: z.string(), filename: z.string(), problem: z.string() })),
});
export type Manifest = z.output<typeof manifestSchema>;

export const sha256Of = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/**
 * Claims a folder for backups of the catalog with this secret key. Throws `StartupError` when it holds anything else.
 */
export async function claimBackupFolder(folder: string, secret: Uint8Array): Promise<void> {
  await createFolderSynced(folder);
  const names = new Set(await readdir(folder));
  const secretChecksum = sha256Of(secret);
  if (names.has(markerName)) {
    const known = markerSchema.safeParse(await readJson(path.join(folder, markerName)));
    if (known.data?.secret_sha256 === secretChecksum) return;
    throw new StartupError(`${folder} holds a backup of another Media Search; choose another folder.`);
  }
  for (const name of names) {
    // Left by a backup that was killed in its first moment.
    if (name.startsWith(lockName) || name === `${markerName}.new`) continue;
    // A file system has this folder where it is mounted.
    if (name === 'lost+found') continue;
    throw new StartupError(
      `${folder} is not empty and holds no backup of Media Search (it holds ${name}); choose an empty folder.`,
    );
  }
  await replaceFileSynced(
    path.join(folder, markerName),
    JSON.stringify({ format: 'media-search-backup', secret_sha256: secretChecksum } satisfies z.output<
      typeof markerSchema
    >),
  );
}

/** Writes a file under a temporary name and renames it, replacing what was there; durable when this returns. */
export async function replaceFileSynced(target: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${target}.new`;
  await rm(temporary, { force: true });
  await writeSynced(temporary, content, 0o600);
  await rename(temporary, target);
  await syncToDisk(path.dirname(target));
}

/** Completes a backup: when this returns, it replaces the previous one. */
export const writeManifest = (folder: string, content: Manifest): Promise<void> =>
  replaceFileSynced(path.join(folder, manifestName), JSON.stringify(content, null, 2));

/** Reads the manifest of the last complete backup. Throws `StartupError` when there is none or it cannot be read. */
export async function readManifest(folder: string): Promise<Manifest> {
  const names = await readdir(folder).catch((): string[] => []);
  if (!names.includes(markerName)) throw new StartupError(`${folder} holds no backup of Media Search.`);
  if (!names.includes(manifestName)) {
    throw new StartupError(`The first backup into ${folder} was never completed, so there is nothing to restore.`);
  }
  const { data, error } = manifestSchema.safeParse(await readJson(path.join(folder, manifestName)));
  if (data) return data;
  const issue = error.issues[0];
  if (issue?.path[0] === 'version') throw new StartupError(`The backup in ${folder} ${issue.message}.`);
  throw new StartupError(`The file ${manifestName} of the backup in ${folder} is damaged, so it cannot be restored.`);
}

async function readJson(target: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(target, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The lines of a list of files. */
export async function* readFileList(target: string): AsyncGenerator<ListedFile> {
  for await (const line of createInterface({ input: createReadStream(target), crlfDelay: Infinity })) {
    yield fileSchema.parse(JSON.parse(line));
  }
}

const renditionListSchema = z.object({
  /** Where the files belong in the folder of the item. */
  folder: relativePath,
  files: z.array(fileSchema),
});
export type RenditionList = z.output<typeof renditionListSchema>;

export const readRenditionList = (content: string): RenditionList => renditionListSchema.parse(JSON.parse(content));

/** The files of a backup, as the store that they are from. */
export function createBackupSource(folder: string): TransferSource {
  /** Where the renditions of an attempt are, and their names; null: they are not in the backup. */
  async function findRenditions(owner: RenditionOwner): Promise<{ from: string; names: string[] } | null> {
    const item = path.join(folder, itemPath(owner));
    for (const name of await readdir(item).catch((): string[] => [])) {
      const list = await readFile(path.join(item, name, renditionListName), 'utf8').catch(() => null);
      if (list === null || name.endsWith('.new')) continue;
      const renditions = readRenditionList(list);
      if (renditions.folder !== renditionPath(owner)) continue;
      return { from: path.join(item, name), names: renditions.files.map((file) => file.path) };
    }
    return null;
  }

  return {
    listRenditions: async (owner) => (await findRenditions(owner))?.names ?? [],

    async withLocalCopy(asset, work) {
      if (asset.kind !== 'rendition') return work(path.join(folder, assetPath(asset)));
      const found = await findRenditions({ ...asset.owner, renditions_token: asset.token });
      return work(path.join(found?.from ?? path.join(folder, itemPath(asset.owner)), asset.name));
    },
  };
}

/**
 * Locks the folder for this process. The operating system releases the lock however the process ends.
 * @returns null when the folder cannot be written, as on a read-only medium
 * Throws `StartupError` when another process holds it.
 */
export function lockBackupFolder(folder: string): Disposable | null {
  let lock: SQLite.Database | undefined;
  try {
    lock = new SQLite(path.join(folder, lockName));
    lock.pragma('busy_timeout = 0');
    lock.exec('begin exclusive');
  } catch (error) {
    lock?.close();
    const code = error instanceof SQLite.SqliteError ? error.code : '';
    if (/^SQLITE_(CANTOPEN|READONLY)/.test(code)) return null;
    if (!code.startsWith('SQLITE_BUSY')) throw error;
    throw new StartupError(`A backup into ${folder}, or a restore from it, is already running.`);
  }
  const held = lock;
  return { [Symbol.dispose]: () => held.close() };
}

export const checksumOf = (content: string | Uint8Array): FileChecksum => ({
  bytes: Buffer.byteLength(content),
  sha256: sha256Of(content),
});
