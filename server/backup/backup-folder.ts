import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import SQLite from 'better-sqlite3';
import { z } from 'zod';
import { StartupError } from '../settings.ts';
import { createFolderSynced, syncToDisk, writeSynced } from '../storage/durable-files.ts';
import type { FileChecksum } from './copy-file.ts';

/**
 * A backup on disk:
 *
 *     media-search-backup.json              whose backup it is; written first
 *     manifest.json                         the catalog and the list that count; written last, and so the moment a backup is complete
 *     catalog-<time>.db                     the catalog
 *     files-<time>.jsonl                    every other file with its length and SHA-256, one a line
 *     secret.key                            what API keys are encrypted with
 *     assets/<workspace>/<item>/original
 *     assets/<workspace>/<item>/renditions-<time of indexing>/…     with files.json, the length and SHA-256 of each
 *     backup.lock                           held while a backup goes on
 */

const markerName = 'media-search-backup.json';
const manifestName = 'manifest.json';
const lockName = 'backup.lock';
export const secretName = 'secret.key';
/** Stands in each folder of renditions. */
export const renditionListName = 'files.json';

const checksumSchema = { bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) };
/** Within the backup, never out of it. */
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
  version: z.literal(1, 'is of a newer version of Media Search; restore it with that'),
  created_at: z.string(),
  software: z.string(),
  items: z.int().min(0),
  /** Of all originals. */
  bytes: z.int().min(0),
  catalog: fileSchema,
  secret: fileSchema,
  files: fileSchema,
  /** Originals that were lost or damaged already, and so are not in the backup. */
  missing: z.array(z.object({ workspace_id: z.string(), id: z.string(), filename: z.string(), problem: z.string() })),
});
export type Manifest = z.output<typeof manifestSchema>;

export const sha256Of = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/**
 * Makes a folder a backup of the catalog with this secret. Throws `StartupError` when it holds anything else.
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
    // What a backup that was ended in its first moment leaves.
    if (name.startsWith(lockName) || name === `${markerName}.new`) continue;
    // Each file system has one where it is mounted.
    if (name === 'lost+found') continue;
    throw new StartupError(
      `${folder} is not empty and holds no backup of Media Search (there is ${name}); choose an empty folder.`,
    );
  }
  await replaceFileSynced(
    path.join(folder, markerName),
    JSON.stringify({ format: 'media-search-backup', secret_sha256: secretChecksum } satisfies z.output<
      typeof markerSchema
    >),
  );
}

/** Writes a file under a temporary name and puts it in the place of what was there; durable when this returns. */
export async function replaceFileSynced(target: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${target}.new`;
  await rm(temporary, { force: true });
  await writeSynced(temporary, content, 0o600);
  await rename(temporary, target);
  await syncToDisk(path.dirname(target));
}

/** From this moment on the folder holds this backup. */
export const writeManifest = (folder: string, content: Manifest): Promise<void> =>
  replaceFileSynced(path.join(folder, manifestName), JSON.stringify(content, null, 2));

/** The last backup that was completed. Throws `StartupError` when there is none or it cannot be read. */
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
  /** Where they stand in the item's folder. */
  folder: relativePath,
  files: z.array(fileSchema),
});
export type RenditionList = z.output<typeof renditionListSchema>;

export const readRenditionList = (content: string): RenditionList => renditionListSchema.parse(JSON.parse(content));

/**
 * Holds the folder for this process, however it ends: the lock is one of the operating system.
 * @returns null when the folder cannot be written, as a backup on a medium for reading only
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
    throw new StartupError(`A backup into ${folder} is going on already, or it is being restored from.`);
  }
  const held = lock;
  return { [Symbol.dispose]: () => held.close() };
}

export const checksumOf = (content: string | Uint8Array): FileChecksum => ({
  bytes: Buffer.byteLength(content),
  sha256: sha256Of(content),
});
