import { createHash, type Hash } from 'node:crypto';
import type { PartialFiles } from '../../assets/partial-files.ts';
import type { UploadRow } from '../../catalog/media/uploads.ts';

/** SHA-256 of what an upload has received. */
export type RunningHash = {
  update(bytes: Uint8Array): void;
  /** What has to be stored with the number of bytes that were hashed; null: nothing. */
  state(): Uint8Array | null;
  /** To be called when so many bytes, which are all that were hashed, are durable and in the catalog. */
  noteStored(received: number): void;
  /** In hexadecimal. Ends it. */
  digest(): string;
};

/** How many uploads are remembered, some 1 KB each. Of others what they received is read again. */
const maxRemembered = 1000;
/** What is read again is remembered after so many bytes, for the case that it breaks off. */
const rememberedBytes = 64 * 2 ** 20;

/** By upload: what this process has hashed of bytes that were durable then, and are never changed. The longest unused is first. */
const remembered = new Map<string, { received: number; hash: Hash }>();

/**
 * Goes on behind what an upload has received. Node's hash takes a small part of the processor time of one that can be saved, but cannot be saved
 * itself. So it is remembered by this process, and another one, or this after a restart, reads again what it has not hashed. Where bytes cannot be read
 * before all have arrived, the other one is used.
 * Throws ENOENT when the bytes are not there, and the signal's reason.
 */
export async function loadHash(partialFiles: PartialFiles, row: UploadRow, signal?: AbortSignal): Promise<RunningHash> {
  if (!partialFiles.read) return loadSavedHash(row.hash_state);
  const { hash, ...known } = recall(row);
  let { received } = known;
  if (received < row.received) {
    let kept = received;
    for await (const bytes of partialFiles.read(row, received)) {
      signal?.throwIfAborted();
      hash.update(bytes);
      received += bytes.length;
      if (received - kept < rememberedBytes) continue;
      remember(row.id, received, hash);
      kept = received;
    }
  }
  return {
    update: (bytes) => void hash.update(bytes),
    state: () => null,
    noteStored: (stored) => remember(row.id, stored, hash),
    digest: () => hash.digest('hex'),
  };
}

/** Frees what is remembered of an upload that has ended. */
export function forgetHash(id: string): void {
  remembered.delete(id);
}

function recall({ id, received }: UploadRow): { received: number; hash: Hash } {
  const found = remembered.get(id);
  // Beyond what the catalog has, it may be of bytes that were not kept.
  if (!found || found.received > received) return { received: 0, hash: createHash('sha256') };
  return { received: found.received, hash: found.hash.copy() };
}

function remember(id: string, received: number, hash: Hash): void {
  remembered.delete(id);
  remembered.set(id, { received, hash: hash.copy() });
  const [oldest] = remembered.keys();
  if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest);
}

async function loadSavedHash(state: Uint8Array | null): Promise<RunningHash> {
  const { createSHA256 } = await import('hash-wasm');
  const hash = await createSHA256();
  if (state === null) hash.init();
  else hash.load(Uint8Array.from(state));
  return {
    update: (bytes) => void hash.update(bytes),
    state: () => hash.save(),
    noteStored: () => undefined,
    digest: () => hash.digest(),
  };
}
