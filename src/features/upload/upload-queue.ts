import type { ItemState } from '../../api/item-watcher.ts';
import type { Interruption, SendReport, SendResult, UploadTransport } from './upload-transport.ts';
import {
  type Failure,
  isActive,
  isOpen,
  isSameLabels,
  noLabels,
  type Upload,
  type UploadLabels,
  type UploadQueueState,
} from './upload.ts';

/** Files sent at the same time; more would only share the same bandwidth. */
const maxSending = 2;
/** An interrupted upload fails after this many retries, about two minutes. */
const maxInterruptions = 8;
const minRetryDelayMs = 1000;
const maxRetryDelayMs = 30_000;

const unreachable = 'The server could not be reached for some minutes.';

/** What the service keeps of a cancelled file is discarded after this time, in which the cancelling can be undone. */
const undoMs = 10_000;

/** Codes of items that could not be indexed because of the file itself. */
const fileErrors = new Set(['unreadable_media', 'unsupported_codec', 'no_picture', 'too_large', 'encrypted_media']);

/** The uploads of a page. One file is hashed at a time, also while others are sent. Interrupted ones are retried with backoff. */
export class UploadQueue {
  #state: UploadQueueState = { uploads: [], paused: false };
  #nextKey = 1;
  readonly #listeners = new Set<() => void>();
  readonly #checks = new Map<number, AbortController>();
  readonly #attempts = new Map<number, AbortController>();
  readonly #transport: UploadTransport;
  readonly #visitId: string;

  /** @param visitId distinguishes the requests of this page from those of other tabs and visits */
  constructor(transport: UploadTransport, visitId: string) {
    this.#transport = transport;
    this.#visitId = visitId;
  }

  /** In the form that `useSyncExternalStore` takes. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly getState = (): UploadQueueState => this.#state;

  /** Adds files to what is uploaded, as one batch. When all before has ended well it makes room for them. */
  add(files: readonly File[], labels: UploadLabels = noLabels): void {
    this.addContinued(files.map((file) => ({ file, labels, sentLabels: null, address: null })));
  }

  /** Adds files of which the service may have a part already: each goes on at its address. */
  addContinued(files: readonly Pick<Upload, 'file' | 'labels' | 'sentLabels' | 'address'>[]): void {
    this.#makeRoom();
    const batch = this.#nextKey;
    const added = files.map((file): Upload => ({ ...newUpload, ...file, batch, key: this.#nextKey++ }));
    this.#set({ uploads: [...this.#state.uploads, ...added] });
    this.#startNext();
  }

  /** Adds files that are not sent, and says why. They can be tried. */
  addFailed(files: readonly File[], labels: UploadLabels, failure: Failure): void {
    this.#makeRoom();
    const batch = this.#state.uploads.at(-1)?.batch ?? this.#nextKey;
    const added = files.map((file): Upload => ({
      ...newUpload,
      file,
      labels,
      sentLabels: null,
      batch,
      key: this.#nextKey++,
      state: 'failed',
      failure,
    }));
    this.#set({ uploads: [...this.#state.uploads, ...added] });
  }

  /** Gives all files of a batch other labels: those that wait are sent with them, the others get them once they are stored. */
  setLabels(batch: number, labels: UploadLabels): void {
    const changed = this.#state.uploads.filter((upload) => upload.batch === batch);
    this.#set({
      uploads: this.#state.uploads.map((upload) => (upload.batch === batch ? { ...upload, labels } : upload)),
    });
    const stored = changed.filter(({ mediaId }) => mediaId !== null);
    const byLabels = Map.groupBy(stored, (upload) => (upload.duplicate ? null : JSON.stringify(upload.labels)));
    for (const uploads of byLabels.values()) {
      const [first] = uploads;
      const ids = uploads.flatMap(({ mediaId }) => mediaId ?? []);
      if (first) this.#transport.relabel(ids, first.duplicate ? null : first.labels, labels);
    }
  }

  /** `retry` undoes it: for ten seconds from where it was, then from the beginning. */
  cancel(key: number): void {
    this.#change(key, { state: 'cancelled' });
    this.#abort(key);
    setTimeout(() => this.#discard(key), undoMs);
    this.#startNext();
  }

  /** Cancels all that the service does not have yet. */
  cancelAll(): void {
    const open = this.#state.uploads.filter(isOpen);
    const keys = new Set(open.map(({ key }) => key));
    this.#set({
      uploads: this.#state.uploads.map((upload) => (keys.has(upload.key) ? { ...upload, state: 'cancelled' } : upload)),
    });
    for (const key of keys) {
      this.#abort(key);
      this.#discard(key);
    }
  }

  retry(key: number): void {
    const upload = this.#find(key);
    if (!upload) return;
    if (upload.mediaId === null) {
      this.#change(key, { state: 'queued', sent: upload.kept, interruptions: 0, failure: null });
      this.#startNext();
    } else void this.#retryIndexing(key, upload.mediaId);
  }

  /** Retries what failed and can succeed now. */
  retryFailed(): void {
    for (const { key, failure } of this.#state.uploads) if (failure?.retry === 'now') this.retry(key);
  }

  /** Starts nothing more. What is being sent is aborted, and goes on where it was after `resume`. */
  pause(): void {
    this.#set({ paused: true });
    for (const { key, kept } of this.#state.uploads.filter(({ state }) => state === 'sending')) {
      this.#change(key, { state: 'queued', sent: kept });
      this.#abort(key);
    }
  }

  /** Lets all go on, also those that were paused alone. */
  resume(): void {
    const uploads = this.#state.uploads.map((upload): Upload =>
      upload.state === 'paused' ? { ...upload, state: 'queued' } : upload,
    );
    this.#set({ uploads, paused: false });
    this.#startNext();
  }

  /** Pauses one file, until `resumeOne` or `resume`. */
  pauseOne(key: number): void {
    const upload = this.#find(key);
    if (!upload || !isOpen(upload)) return;
    this.#change(key, { state: 'paused', sent: upload.kept });
    this.#abort(key);
    this.#startNext();
  }

  resumeOne(key: number): void {
    if (this.#find(key)?.state !== 'paused') return;
    this.#change(key, { state: 'queued' });
    this.#startNext();
  }

  /** Tries what was interrupted at once: the connection is back. */
  hurry(): void {
    for (const { key } of this.#state.uploads.filter(({ state }) => state === 'interrupted')) {
      this.#change(key, { state: 'queued' });
    }
    this.#startNext();
  }

  /** Takes what the service says of items. */
  noteItems(items: readonly ItemState[], missing: readonly string[]): void {
    const known = new Map(items.map((item) => [item.id, item]));
    const gone = new Set(missing);
    let changed = false;
    const uploads = this.#state.uploads.map((upload) => {
      if (upload.state !== 'indexing' || upload.mediaId === null) return upload;
      const item = known.get(upload.mediaId);
      if (!item && !gone.has(upload.mediaId)) return upload;
      changed = true;
      return { ...upload, ...(item ? stateOf(item) : wasDeleted) };
    });
    if (changed) this.#set({ uploads });
  }

  /** Removes what has ended from the list. */
  dismissFinished(): void {
    this.#keep(isActive);
  }

  /** Ends all, and forgets it. What arrived of it stays on the service. */
  clear(): void {
    const keys = this.#state.uploads.map(({ key }) => key);
    this.#set({ uploads: [], paused: false });
    for (const key of keys) this.#abort(key);
  }

  /** Discards what the service keeps of cancelled files: the cancellation can no longer be undone. */
  discardCancelled(): void {
    for (const { key, state } of this.#state.uploads) if (state === 'cancelled') this.#discard(key);
  }

  /** When all before has ended, only what failed stays. */
  #makeRoom(): void {
    if (!this.#state.uploads.some(isActive)) this.#keep(({ state }) => state === 'failed');
  }

  #keep(choose: (upload: Upload) => boolean): void {
    this.discardCancelled();
    this.#set({ uploads: this.#state.uploads.filter(choose) });
  }

  #set(changes: Partial<UploadQueueState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }

  #change(key: number, changes: Partial<Upload>): void {
    this.#set({
      uploads: this.#state.uploads.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload)),
    });
  }

  #startNext(): void {
    if (this.#state.paused) return;
    const queued = this.#state.uploads.filter(({ state }) => state === 'queued');
    const unchecked = queued.find(({ checked }) => !checked);
    if (unchecked && this.#checks.size === 0) void this.#check(unchecked);
    const free = maxSending - this.#state.uploads.filter(({ state }) => state === 'sending').length;
    for (const upload of queued.filter(({ checked }) => checked).slice(0, Math.max(0, free))) void this.#send(upload);
  }

  /** Asks whether the service has a file; then it need not be sent. */
  async #check({ key, file }: Upload): Promise<void> {
    const controller = new AbortController();
    this.#checks.set(key, controller);
    this.#change(key, { state: 'hashing', hashed: 0 });
    const onHashed = (hashed: number) => this.#change(key, { hashed });
    const mediaId = await this.#transport.findStored(file, onHashed, controller.signal);
    this.#checks.delete(key);
    if (!controller.signal.aborted) {
      if (mediaId) this.#finish(key, { outcome: 'sent', mediaId, duplicate: true });
      else this.#change(key, { state: 'queued', checked: true });
    }
    this.#startNext();
  }

  async #send({ key, file, labels: chosen, sentLabels, address, kept, discards }: Upload): Promise<void> {
    const controller = new AbortController();
    this.#attempts.set(key, controller);
    // An attempt that the service took, though its answer was lost, has those with which it began.
    const labels = sentLabels ?? chosen;
    this.#change(key, { state: 'sending', speed: 0, sentLabels: labels });
    const idempotencyKey = `${this.#visitId}-${key}-${discards}`;
    // For a file that another visit began, the first report says how much has arrived.
    const report = this.#listenTo(key, controller.signal, address !== null && kept === 0);
    const result = await this.#transport.send({ file, labels, idempotencyKey, address }, report, controller.signal);
    // After a pause and a resume there may be a newer attempt.
    if (this.#attempts.get(key) === controller) this.#attempts.delete(key);
    if (!controller.signal.aborted) this.#finish(key, result);
    this.#startNext();
  }

  /** Takes what an attempt reports. Its address counts also after it was aborted: what it made on the service is there. */
  #listenTo(key: number, signal: AbortSignal, continues: boolean): SendReport {
    const startedAt = performance.now();
    /** Where this attempt began. */
    let first: number | undefined;
    return {
      progress: (sent, kept) => {
        const before = this.#find(key);
        if (signal.aborted || !before) return;
        const keptBefore = continues && first === undefined ? kept : before.keptBefore;
        first ??= kept;
        this.#change(key, {
          sent,
          kept,
          keptBefore,
          interruptions: kept > before.kept ? 0 : before.interruptions,
          speed: (1000 * (sent - first)) / (performance.now() - startedAt),
        });
      },
      address: (address) => {
        this.#change(key, address === null ? { address, kept: 0, keptBefore: 0 } : { address });
        if (this.#find(key)?.state === 'cancelled' && signal.aborted) this.#discard(key);
      },
    };
  }

  #finish(key: number, result: SendResult): void {
    if (result.outcome === 'interrupted') this.#retryLater(key, result);
    else if (result.outcome === 'failed') {
      this.#change(key, { state: 'failed', failure: { message: result.message, retry: result.retry } });
    } else {
      const { mediaId, duplicate } = result;
      this.#change(key, { state: 'indexing', mediaId, duplicate });
      const upload = this.#find(key);
      if (!upload) return;
      this.#transport.onStored({ ...upload, mediaId });
      const { sentLabels, labels } = upload;
      if (sentLabels && !duplicate && !isSameLabels(sentLabels, labels)) {
        this.#transport.relabel([mediaId], sentLabels, labels);
      }
    }
  }

  #retryLater(key: number, { waitSeconds = 0, busy = false, message = unreachable }: Interruption): void {
    const { interruptions: before, kept } = this.#find(key) ?? newUpload;
    // A service that names a time will answer then, and one that is away will be back, so that does not count.
    const interruptions = busy ? before : before + 1;
    if (interruptions > maxInterruptions) {
      this.#change(key, { state: 'failed', failure: { message, retry: 'now' } });
      return;
    }
    this.#change(key, { state: 'interrupted', sent: kept, interruptions });
    const backoffMs = Math.min(maxRetryDelayMs, minRetryDelayMs * 2 ** (Math.max(1, interruptions) - 1));
    const delayMs = Math.max(1000 * waitSeconds, busy ? 0 : backoffMs);
    setTimeout(() => {
      if (this.#find(key)?.state !== 'interrupted') return;
      this.#change(key, { state: 'queued' });
      this.#startNext();
    }, delayMs);
  }

  async #retryIndexing(key: number, mediaId: string): Promise<void> {
    this.#change(key, { state: 'indexing', failure: null, progress: null });
    try {
      await this.#transport.retryIndexing(mediaId);
      const upload = this.#find(key);
      if (upload) this.#transport.onStored({ ...upload, mediaId });
    } catch (error) {
      const message = error instanceof Error ? error.message : 'The file could not be indexed.';
      this.#change(key, { state: 'failed', failure: { message, retry: 'now' } });
    }
  }

  #abort(key: number): void {
    this.#attempts.get(key)?.abort();
    this.#checks.get(key)?.abort();
  }

  /** Makes the service forget what it keeps of a file, unless that was taken up again. */
  #discard(key: number): void {
    const { state, address, discards } = this.#find(key) ?? newUpload;
    if (state !== 'cancelled' || address === null) return;
    this.#change(key, { address: null, sentLabels: null, kept: 0, keptBefore: 0, sent: 0, discards: discards + 1 });
    this.#transport.discard(address);
  }

  #find(key: number): Upload | undefined {
    return this.#state.uploads.find((upload) => upload.key === key);
  }
}

export const newUpload: Omit<Upload, 'key' | 'batch' | 'file' | 'labels'> = {
  sentLabels: null,
  state: 'queued',
  checked: false,
  hashed: 0,
  sent: 0,
  address: null,
  kept: 0,
  keptBefore: 0,
  speed: 0,
  discards: 0,
  interruptions: 0,
  mediaId: null,
  progress: null,
  duplicate: false,
  failure: null,
};

const wasDeleted: Partial<Upload> = { state: 'failed', failure: { message: 'It was deleted.', retry: 'never' } };

function stateOf({ status, error, progress }: ItemState): Partial<Upload> {
  if (status === 'complete') return { state: 'ready' };
  if (status !== 'error') return { progress };
  const retry = fileErrors.has(error?.code ?? '') ? 'never' : error?.code === 'quota_exceeded' ? 'later' : 'now';
  return { state: 'failed', failure: { message: error?.message ?? 'The file could not be read.', retry } };
}
