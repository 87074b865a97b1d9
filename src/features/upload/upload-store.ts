import { useSyncExternalStore } from 'react';
import { basePath } from '../../../contract/base-path.ts';
import { authorization, toApiError } from '../../api/client.ts';
import type { paths } from '../../api/generated/api.ts';

/** What an upload is answered with. */
type Answer = paths['/media/upload']['post']['responses'][202]['content']['application/json'];

export type Upload = {
  key: number;
  file: File;
  state: 'queued' | 'sending' | 'sent' | 'failed' | 'cancelled';
  /** Bytes that have left. */
  sent: number;
  /** Bytes a second so far. */
  speed: number;
  /** The item, once the service has it. */
  mediaId: string | null;
  /** The service had these bytes already. */
  duplicate: boolean;
  error: string | null;
};

/** Files on the wire at once; more would only share the same line. */
const atOnce = 2;

let uploads: readonly Upload[] = [];
let nextKey = 1;
const listeners = new Set<() => void>();
const requests = new Map<number, XMLHttpRequest>();

function change(key: number, changes: Partial<Upload>): void {
  uploads = uploads.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload));
  notify();
}

function notify(): void {
  for (const listener of listeners) listener();
}

/** All uploads since the page was opened. Lives outside React, so that they go on while one moves about. */
export const useUploads = (): readonly Upload[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads,
  );

export function addUploads(files: readonly File[]): void {
  const added = files.map((file): Upload => {
    const key = nextKey++;
    return { key, file, state: 'queued', sent: 0, speed: 0, mediaId: null, duplicate: false, error: null };
  });
  uploads = [...uploads, ...added];
  notify();
  sendNext();
}

export function cancelUpload(key: number): void {
  change(key, { state: 'cancelled' });
  requests.get(key)?.abort();
  sendNext();
}

export function retryUpload(key: number): void {
  change(key, { state: 'queued', sent: 0, error: null });
  sendNext();
}

/** Clears the list of what is done; what is queued or on the wire stays. */
export function dismissFinished(): void {
  uploads = uploads.filter(({ state }) => state === 'queued' || state === 'sending');
  notify();
}

function sendNext(): void {
  const free = atOnce - uploads.filter(({ state }) => state === 'sending').length;
  for (const upload of uploads.filter(({ state }) => state === 'queued').slice(0, Math.max(0, free))) send(upload);
}

/** Sends one file. XMLHttpRequest, because fetch does not tell how much has left. */
function send({ key, file }: Upload): void {
  const form = new FormData();
  form.set('file', file);
  const xhr = new XMLHttpRequest();
  const begunAt = performance.now();
  requests.set(key, xhr);
  xhr.open('POST', `${basePath}/media/upload`);
  for (const [name, value] of Object.entries(authorization())) xhr.setRequestHeader(name, value);
  xhr.upload.addEventListener('progress', ({ loaded, total }) => {
    // The form's own bytes are counted too; a share of the file is what people read.
    const sent = total > 0 ? Math.min(file.size, (file.size * loaded) / total) : 0;
    change(key, { sent, speed: (1000 * sent) / (performance.now() - begunAt) });
  });
  xhr.addEventListener('load', () => change(key, outcomeOf(xhr)));
  xhr.addEventListener('error', () =>
    change(key, { state: 'failed', error: 'The connection broke off before the file had arrived.' }),
  );
  xhr.addEventListener('loadend', () => {
    requests.delete(key);
    sendNext();
  });
  change(key, { state: 'sending' });
  xhr.send(form);
}

function outcomeOf(xhr: XMLHttpRequest): Partial<Upload> {
  let body: Answer | undefined;
  try {
    body = JSON.parse(xhr.responseText) as Answer;
  } catch {
    // A proxy in between answers in its own words; the status is all there is to tell.
  }
  if (body?.success) return { state: 'sent', mediaId: body.data.id, duplicate: body.meta?.duplicate === true };
  return { state: 'failed', error: toApiError(body, xhr.status, xhr.getResponseHeader('X-Request-Id')).message };
}

// Leaving loses what has not arrived yet.
window.addEventListener('beforeunload', (event) => {
  if (uploads.some(({ state }) => state === 'queued' || state === 'sending')) event.preventDefault();
});
