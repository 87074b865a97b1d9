import { useSyncExternalStore } from 'react';
import { authorization, toApiError } from '../../api/client.ts';
import { apiAddress } from '../../api/connection.ts';
import type { UploadMediaResponse } from '../../api/generated/api/index.ts';
import { findStored } from './find-stored.ts';

export type Upload = {
  key: number;
  file: File;
  /**
   * `hashing`: it is being looked whether the service has it already. `interrupted`: the connection broke or the service was
   * not there; it is tried again by itself.
   */
  state: 'queued' | 'hashing' | 'sending' | 'interrupted' | 'sent' | 'failed' | 'cancelled';
  /** Whether the service was asked for the same bytes. */
  checked: boolean;
  /** Bytes that have been read for that. */
  hashed: number;
  /** Bytes that have left. */
  sent: number;
  /** Bytes a second so far. */
  speed: number;
  /** How often it was interrupted. */
  interruptions: number;
  /** The item, once the service has it. */
  mediaId: string | null;
  /** The service had these bytes already. */
  duplicate: boolean;
  error: string | null;
};

/** Creator and category that files get which are sent from now on; empty for none. */
export type UploadLabels = { creator_id: string; category_id: string };

type State = { uploads: readonly Upload[]; paused: boolean; labels: UploadLabels };

/** Files on the wire at once; more would only share the same line. */
const atOnce = 2;
/** An interrupted upload is given up after this many times, about two minutes. */
const mostInterruptions = 8;
const longestWaitMs = 30_000;

let state: State = { uploads: [], paused: false, labels: { creator_id: '', category_id: '' } };
let nextKey = 1;
const listeners = new Set<() => void>();
const requests = new Map<number, XMLHttpRequest>();
const checks = new Map<number, AbortController>();
/** Makes the names of requests unlike those of other tabs and visits. */
const visit = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

function set(changes: Partial<State>): void {
  state = { ...state, ...changes };
  for (const listener of listeners) listener();
}

const change = (key: number, changes: Partial<Upload>): void =>
  set({ uploads: state.uploads.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload)) });

/** All uploads since the page was opened. Lives outside React, so that they go on while one moves about. */
export const useUploads = (): State =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );

export const isOpen = ({ state: current }: Upload): boolean =>
  ['queued', 'hashing', 'sending', 'interrupted'].includes(current);

export function addUploads(files: readonly File[]): void {
  const added = files.map((file): Upload => {
    const key = nextKey++;
    return {
      key,
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
    };
  });
  set({ uploads: [...state.uploads, ...added] });
  goOn();
}

export function cancelUpload(key: number): void {
  change(key, { state: 'cancelled' });
  requests.get(key)?.abort();
  checks.get(key)?.abort();
  goOn();
}

export function retryUpload(key: number): void {
  change(key, { state: 'queued', sent: 0, interruptions: 0, error: null });
  goOn();
}

/** Holds everything back: what is on the wire is broken off and sent anew when it goes on. */
export function pauseUploads(): void {
  const sending = state.uploads.filter((upload) => upload.state === 'sending');
  set({ paused: true });
  for (const { key } of sending) {
    change(key, { state: 'queued', sent: 0 });
    requests.get(key)?.abort();
  }
}

export function resumeUploads(): void {
  set({ paused: false });
  goOn();
}

export const setUploadLabels = (labels: Partial<UploadLabels>): void => set({ labels: { ...state.labels, ...labels } });

/** Clears the list of what is done; what is queued or on the wire stays. */
export const dismissFinished = (): void => set({ uploads: state.uploads.filter(isOpen) });

/** Starts whatever can be started: one file is checked at a time, also while others are on the wire. */
function goOn(): void {
  if (state.paused) return;
  const waiting = state.uploads.filter((upload) => upload.state === 'queued');
  const unchecked = waiting.find(({ checked }) => !checked);
  if (unchecked && checks.size === 0) void check(unchecked);
  const free = atOnce - state.uploads.filter((upload) => upload.state === 'sending').length;
  for (const upload of waiting.filter(({ checked }) => checked).slice(0, Math.max(0, free))) send(upload);
}

/** Asks whether the service has a file already; then it need not be sent. */
async function check({ key, file }: Upload): Promise<void> {
  const controller = new AbortController();
  checks.set(key, controller);
  change(key, { state: 'hashing', hashed: 0 });
  const mediaId = await findStored(file, (hashed) => change(key, { hashed }), controller.signal);
  checks.delete(key);
  if (!controller.signal.aborted) {
    change(key, mediaId ? { state: 'sent', mediaId, duplicate: true } : { state: 'queued', checked: true });
  }
  goOn();
}

/** Sends one file. XMLHttpRequest, because fetch does not tell how much has left. */
function send({ key, file }: Upload): void {
  const form = new FormData();
  for (const [name, value] of Object.entries(state.labels)) if (value !== '') form.set(name, value);
  form.set('file', file);
  const xhr = new XMLHttpRequest();
  const begunAt = performance.now();
  requests.set(key, xhr);
  xhr.open('POST', `${apiAddress}/media/upload`);
  for (const [name, value] of Object.entries(authorization())) xhr.setRequestHeader(name, value);
  // When the answer is lost on the way the file is sent again, and gets the same answer.
  xhr.setRequestHeader('Idempotency-Key', `${visit}-${key}-${state.labels.creator_id}-${state.labels.category_id}`);
  xhr.upload.addEventListener('progress', ({ loaded, total }) => {
    // The form's own bytes are counted too; a share of the file is what people read.
    const sent = total > 0 ? Math.min(file.size, (file.size * loaded) / total) : 0;
    change(key, { sent, speed: (1000 * sent) / (performance.now() - begunAt) });
  });
  xhr.addEventListener('load', () => {
    // 409: the service has not noticed yet that an earlier attempt was broken off.
    if ([409, 429, 503].includes(xhr.status)) interrupt(key);
    else change(key, outcomeOf(xhr));
  });
  xhr.addEventListener('error', () => interrupt(key));
  xhr.addEventListener('loadend', () => {
    requests.delete(key);
    goOn();
  });
  change(key, { state: 'sending' });
  xhr.send(form);
}

/** Tries again after a while, twice as long each time. */
function interrupt(key: number): void {
  const interruptions = (state.uploads.find((upload) => upload.key === key)?.interruptions ?? 0) + 1;
  if (interruptions > mostInterruptions) {
    change(key, { state: 'failed', error: 'The service could not be reached for some minutes.' });
    return;
  }
  change(key, { state: 'interrupted', sent: 0, interruptions });
  setTimeout(
    () => {
      if (state.uploads.find((upload) => upload.key === key)?.state !== 'interrupted') return;
      change(key, { state: 'queued' });
      goOn();
    },
    Math.min(longestWaitMs, 500 * 2 ** interruptions),
  );
}

function outcomeOf(xhr: XMLHttpRequest): Partial<Upload> {
  let body: UploadMediaResponse | undefined;
  try {
    body = JSON.parse(xhr.responseText) as UploadMediaResponse;
  } catch {
    // A proxy in between answers in its own words; the status is all there is to tell.
  }
  if (body?.success) return { state: 'sent', mediaId: body.data.id, duplicate: body.meta?.duplicate === true };
  return { state: 'failed', error: toApiError(body, xhr.status, xhr.getResponseHeader('X-Request-Id')).message };
}

// Leaving loses what has not arrived yet.
window.addEventListener('beforeunload', (event) => {
  if (state.uploads.some(isOpen)) event.preventDefault();
});
