import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  findUpload,
  findWriters,
  releaseUpload,
  renewUpload,
  takeUpload,
  type UploadRow,
  wantUpload,
} from '../../catalog/media/uploads.ts';
import { leaseLength } from '../../catalog/queue/leases.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError, notFoundError } from '../../errors/api-error.ts';
import type { PubSub } from '../../messaging/pubsub/pubsub.ts';
import { runEvery } from '../../platform/periodic.ts';

/** The lease is renewed in this time, milliseconds. */
const renewMs = 3000;
/** How long to wait for the request before, milliseconds: longer than the lease of one whose process has died. */
const patienceMs = 15_000;
/** How often to look while a notice could be missed, milliseconds. */
const lookMs = 500;

/** An upload to which only this request writes. */
export type HeldUpload = {
  row: UploadRow & { lease_owner: string };
  /** Aborts when a later request wants to write, or another one does already. */
  signal: AbortSignal;
  /** To be called before each write: a process that stood still may have lost the upload, and not know it yet. Throws `offset_mismatch` then. */
  confirm: () => Promise<void>;
};

type Parts = { db: Catalog; pubsub: PubSub };

/** What a request is told whose place a later one took. The client that still listens may ask where to go on. */
export const supersededError = (): ApiError =>
  new ApiError('offset_mismatch', 'Another request writes to this upload. Ask with HEAD where to go on.');

export const busyError = (): ApiError =>
  new ApiError('unavailable', 'Another request writes to this upload. Try again in 1 second.', {
    headers: { 'Retry-After': '1' },
  });

export const discardedError = (): ApiError =>
  new ApiError('upload_discarded', 'This upload was discarded. What had arrived of it is gone.');

/** What the name of a request begins with that discards an upload: the one that writes to it tells its client then. */
const discardMark = 'discard-';

/** What a request is told when another one is wanted in its place. Clients of tus go on after `offset_mismatch`, and with a new upload if need be. */
const endedBy = (wantedBy: string | null): ApiError =>
  wantedBy?.startsWith(discardMark) ? discardedError() : supersededError();

/**
 * Does work on an upload while no other request does. The request that writes to it is asked to end, and stores what it has: it may be one whose
 * client lost its connection and does not know yet. Of several that wait the latest wins.
 * Throws `not_found`, `offset_mismatch` when a later request took its place, `upload_discarded` when that one discards the upload, `unavailable`,
 * and the signal's reason.
 * @param signal ends waiting
 * @param purpose `discard`: the upload does not go on
 */
export async function holdUpload<Result>(
  { db, pubsub }: Parts,
  workspaceId: string,
  id: string,
  signal: AbortSignal,
  work: (held: HeldUpload) => Promise<Result>,
  purpose: 'write' | 'discard' = 'write',
): Promise<Result> {
  const writer = `${purpose === 'discard' ? discardMark : ''}${randomUUID()}`;
  const row = await take({ db, pubsub }, workspaceId, id, writer, signal);
  const held = { workspace_id: workspaceId, id, lease_owner: writer };
  const ending = new AbortController();
  let renewedAt = Date.now();
  const check = async () => {
    const askedAt = Date.now();
    const current = await renewUpload(db, held);
    if (current) renewedAt = askedAt;
    if (!current) ending.abort(supersededError());
    else if (current.wanted_by !== null && current.wanted_by !== writer) ending.abort(endedBy(current.wanted_by));
  };
  // The next renewal makes up for one that was missed, and a lost lease is found out when something is stored.
  const renewing = runEvery(renewMs, check, 'the renewal of an upload', null, { atOnce: false });
  const leave = pubsub.subscribe('uploads', (changed) => {
    if (changed === id) renewing.now();
  });
  const confirm = async () => {
    if (Date.now() - renewedAt < 1000 * leaseLength('uploads')) return;
    await check();
    ending.signal.throwIfAborted();
  };
  try {
    return await work({ row: { ...row, lease_owner: writer }, signal: ending.signal, confirm });
  } finally {
    leave();
    void renewing.stop();
    // Where the database is away, others wait until the lease ends.
    await release({ db, pubsub }, held).catch(() => undefined);
  }
}

async function release(
  { db, pubsub }: Parts,
  held: { workspace_id: string; id: string; lease_owner: string },
): Promise<void> {
  await releaseUpload(db, held);
  await pubsub.publish(db, 'uploads', held.id);
}

async function take(
  { db, pubsub }: Parts,
  workspaceId: string,
  id: string,
  writer: string,
  signal: AbortSignal,
): Promise<UploadRow> {
  const row = await takeUpload(db, workspaceId, id, writer);
  if (row) return row;
  if (!(await findUpload(db, workspaceId, id))) throw notFoundError('upload');
  let wake = () => {};
  const leave = pubsub.subscribe('uploads', (changed) => {
    if (changed === id) wake();
  });
  try {
    await wantUpload(db, workspaceId, id, writer);
    await pubsub.publish(db, 'uploads', id);
    for (const begun = Date.now(); Date.now() - begun < patienceMs;) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      const taken = await takeUpload(db, workspaceId, id, writer);
      if (taken) return taken;
      const writers = await findWriters(db, workspaceId, id);
      if (!writers) throw notFoundError('upload');
      if (writers.wanted_by !== writer) throw endedBy(writers.wanted_by);
      await Promise.race([changed, delay(lookMs, undefined, { signal })]);
      signal.throwIfAborted();
    }
  } finally {
    leave();
  }
  throw busyError();
}
