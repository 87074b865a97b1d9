export type Upload = {
  key: number;
  file: File;
  /**
   * `hashing`: the browser computes the checksum, by which the service is asked whether it has the file. `interrupted`: the connection
   * broke or the service was away; the upload is retried after a delay.
   */
  state: 'queued' | 'hashing' | 'sending' | 'interrupted' | 'sent' | 'failed' | 'cancelled';
  /** Whether the service was asked for the same checksum. */
  checked: boolean;
  /** Bytes hashed so far. */
  hashed: number;
  /** Bytes sent so far. */
  sent: number;
  /** Mean bytes per second of the current attempt. */
  speed: number;
  /** How often it was interrupted. */
  interruptions: number;
  /** The item, once the service has it. */
  mediaId: string | null;
  /** Whether the service had the same file before. */
  duplicate: boolean;
  error: string | null;
};

/** Creator and category of files sent from now on; empty for none. */
export type UploadLabels = { creator_id: string; category_id: string };

export type UploadQueueState = { uploads: readonly Upload[]; paused: boolean; labels: UploadLabels };

/** What an attempt ended with. `interrupted`: it may succeed later. */
export type SendResult =
  | { outcome: 'sent'; mediaId: string; duplicate: boolean }
  | { outcome: 'failed'; error: string }
  | { outcome: 'interrupted' };

export type UploadTransport = {
  /** Returns the item that has the same content; null when there is none or that cannot be found out. */
  findStored: (file: File, onHashed: (bytes: number) => void, signal: AbortSignal) => Promise<string | null>;
  /**
   * Makes one attempt. Its result is ignored once the signal is aborted.
   * @param request `idempotencyKey` is the same for every attempt with the same labels
   */
  send: (
    request: { file: File; labels: UploadLabels; idempotencyKey: string },
    onSent: (bytes: number) => void,
    signal: AbortSignal,
  ) => Promise<SendResult>;
};

/** Files sent at the same time; more would only share the same bandwidth. */
const maxSending = 2;
/** An interrupted upload fails after this many retries, about two minutes. */
const maxInterruptions = 8;
const minRetryDelayMs = 1000;
const maxRetryDelayMs = 30_000;

export const isOpen = ({ state }: Upload): boolean => ['queued', 'hashing', 'sending', 'interrupted'].includes(state);

/** The uploads of a page. One file is hashed at a time, also while others are sent. Interrupted ones are retried with backoff. */
export class UploadQueue {
  #state: UploadQueueState = { uploads: [], paused: false, labels: { creator_id: '', category_id: '' } };
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

  add(files: readonly File[]): void {
    const added = files.map((file): Upload => ({
      key: this.#nextKey++,
      file,
      state: 'queued',
      checked: false,
      hashed: 0,
      sent: 0,
      speed: 0,
      interruptions: 0,
      mediaId: null,
      duplicate: false,
      error: null,
    }));
    this.#set({ uploads: [...this.#state.uploads, ...added] });
    this.#startNext();
  }

  cancel(key: number): void {
    this.#change(key, { state: 'cancelled' });
    this.#attempts.get(key)?.abort();
    this.#checks.get(key)?.abort();
    this.#startNext();
  }

  retry(key: number): void {
    this.#change(key, { state: 'queued', sent: 0, interruptions: 0, error: null });
    this.#startNext();
  }

  /** Starts nothing more. What is being sent is aborted, and sent from its beginning after `resume`. */
  pause(): void {
    this.#set({ paused: true });
    for (const { key } of this.#state.uploads.filter(({ state }) => state === 'sending')) {
      this.#change(key, { state: 'queued', sent: 0 });
      this.#attempts.get(key)?.abort();
    }
  }

  resume(): void {
    this.#set({ paused: false });
    this.#startNext();
  }

  setLabels(labels: Partial<UploadLabels>): void {
    this.#set({ labels: { ...this.#state.labels, ...labels } });
  }

  /** Removes what has ended from the list. */
  dismissFinished(): void {
    this.#set({ uploads: this.#state.uploads.filter(isOpen) });
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
      this.#change(key, mediaId ? { state: 'sent', mediaId, duplicate: true } : { state: 'queued', checked: true });
    }
    this.#startNext();
  }

  async #send({ key, file }: Upload): Promise<void> {
    const controller = new AbortController();
    const { labels } = this.#state;
    const startedAt = performance.now();
    const idempotencyKey = `${this.#visitId}-${key}-${labels.creator_id}-${labels.category_id}`;
    const onSent = (sent: number) => {
      if (controller.signal.aborted) return;
      this.#change(key, { sent, speed: (1000 * sent) / (performance.now() - startedAt) });
    };
    this.#attempts.set(key, controller);
    this.#change(key, { state: 'sending' });
    const result = await this.#transport.send({ file, labels, idempotencyKey }, onSent, controller.signal);
    // After a pause and a resume there may be a newer attempt.
    if (this.#attempts.get(key) === controller) this.#attempts.delete(key);
    if (!controller.signal.aborted) this.#finish(key, result);
    this.#startNext();
  }

  #finish(key: number, result: SendResult): void {
    if (result.outcome === 'interrupted') this.#retryLater(key);
    else {
      const { outcome: state, ...changes } = result;
      this.#change(key, { state, ...changes });
    }
  }

  #retryLater(key: number): void {
    const interruptions = (this.#find(key)?.interruptions ?? 0) + 1;
    if (interruptions > maxInterruptions) {
      this.#change(key, { state: 'failed', error: 'The service could not be reached for some minutes.' });
      return;
    }
    this.#change(key, { state: 'interrupted', sent: 0, interruptions });
    const delayMs = Math.min(maxRetryDelayMs, minRetryDelayMs * 2 ** (interruptions - 1));
    setTimeout(() => {
      if (this.#find(key)?.state !== 'interrupted') return;
      this.#change(key, { state: 'queued' });
      this.#startNext();
    }, delayMs);
  }

  #find(key: number): Upload | undefined {
    return this.#state.uploads.find((upload) => upload.key === key);
  }
}
