import { vi } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { openStoredFiles } from '../assets/open-stored-files.ts';
import type { StorageSettings } from '../assets/storage-settings.ts';
import { createUpload, type UploadRow } from '../catalog/media/uploads.ts';
import { createMemoryPubSub } from '../messaging/pubsub/pubsub.ts';
import { createScratch } from '../platform/storage/scratch.ts';
import { createMediaRemoval } from '../uploads/media-removal.ts';
import { holdUpload } from '../uploads/resumable/hold-upload.ts';
import { receivePart } from '../uploads/resumable/receive-part.ts';
import type { Backend } from './fresh-catalog.ts';
import { openTestCatalog } from './test-catalog.ts';

const log = { error: () => undefined, warn: () => undefined, info: () => undefined };
/** It begins as a film of MPEG does. */
export const film = Buffer.concat([Buffer.from('000001ba', 'hex'), Buffer.alloc(96, 7)]);
const never = new AbortController().signal;

/** A workspace that receives uploads in parts, without HTTP. */
export async function setUpUploads(backend: Backend, storage: StorageSettings | null = null) {
  const catalog = await openTestCatalog(backend);
  const { db, workspaceId } = catalog;
  const folder = await temporaryFolder();
  const files = await openStoredFiles({ dataDirectory: folder.path, storage });
  await files.assets.prepare();
  const pubsub = createMemoryPubSub(log);
  const warn = vi.fn<(about: unknown, message?: unknown) => void>();
  const removal = createMediaRemoval({ db, ...files, log: { ...log, warn } });
  const { removeUnlisted } = removal;
  const scratch = createScratch(folder.path);
  const parts = { ...files, db, pubsub, removal, removeUnlisted, scratch, onStored: vi.fn<() => void>() };
  const begin = async (length = film.length, labels = {}, sha256: string | null = null): Promise<UploadRow> => {
    const about = {
      workspace_id: workspaceId,
      filename: 'film.mpg',
      length,
      metadata: '',
      labels: JSON.stringify(labels),
      sha256,
      created_by: null,
    };
    const created = await createUpload(db, about, async () => undefined);
    if (typeof created === 'string' || 'violation' in created) throw new Error('The upload was refused.');
    return created.row;
  };
  const hold: typeof holdUpload<UploadRow> extends (p: never, w: never, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never = (...rest) => holdUpload(parts, workspaceId, ...rest);
  const send = (id: string, bytes: Uint8Array, db = catalog.db) =>
    hold(id, never, (held) =>
      receivePart({ ...parts, db }, held, {
        body: (async function* () {
          yield Buffer.from(bytes);
        })(),
        checksum: null,
        signal: never,
        checkAccess: () => Promise.resolve(),
      }),
    );
  return {
    ...parts,
    warn,
    workspaceId,
    folder,
    begin,
    hold,
    send,
    async [Symbol.asyncDispose]() {
      await catalog[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
