import { setTimeout as delay } from 'node:timers/promises';
import { deleteUpload, endUpload } from '../../catalog/media/uploads.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { PubSub } from '../../messaging/pubsub/pubsub.ts';
import { isDiscarded, removeUploadFiles, type RemovalParts, storeRefusal } from './finish-upload.ts';
import { busyError, discardedError, type HeldUpload, holdUpload, supersededError } from './hold-upload.ts';

/** How often to try while other requests take the place of this one: those of a client that asks where to go on, or others that discard. */
const maxTries = 50;
const retryMs = 100;

type DiscardParts = RemovalParts & { pubsub: PubSub };

/**
 * Discards an upload; a request that writes to it ends first. The row of an open one stays for a day and tells its client so: a client that is told
 * that there is no such upload takes it for lost and begins again. The row of one that has ended goes.
 * Throws `not_found`, `upload_discarded` when it was discarded before, `unavailable`, and the signal's reason.
 */
export async function discardUpload(
  parts: DiscardParts,
  workspaceId: string,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const outcome = await holdUpload(
      parts,
      workspaceId,
      id,
      signal,
      (held) => discardHeld(parts, held),
      'discard',
    ).catch((error: unknown) => {
      if (!isSuperseded(error)) throw error;
      return 'superseded';
    });
    if (outcome === 'discarded') return;
    if (outcome === 'discarded before') throw discardedError();
    await delay(retryMs, undefined, { signal });
  }
  throw busyError();
}

/** By a request that is to discard the upload as well, it is not discarded yet. */
const isSuperseded = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'offset_mismatch' || error.code === 'upload_discarded');

async function discardHeld(
  parts: DiscardParts,
  { row: held, confirm }: HeldUpload,
): Promise<'discarded' | 'discarded before'> {
  if (isDiscarded(held)) return 'discarded before';
  await confirm();
  // Files first: they may be what the disk is full of. A crash in between leaves a row, which expires, and no file without one.
  await removeUploadFiles(parts, held);
  if (held.ended_at !== null) await deleteUpload(parts.db, held.workspace_id, held.id);
  else if (!(await endUpload(parts.db, held, { error: storeRefusal(discardedError()) }))) throw supersededError();
  return 'discarded';
}
