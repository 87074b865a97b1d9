import { type ApiError, authorization, toApiError } from '../../api/client.ts';
import { apiUrl } from '../../api/connection.ts';
import type { UploadMediaResponse } from '../../api/generated/api/index.ts';
import { isReachable } from '../../api/reachability.ts';
import { pauseRequests, readRetryAfter, whenAllowed } from '../../api/throttle.ts';
import type { SendResult, UploadTransport } from './upload-queue.ts';
import type { Failure } from './upload.ts';

/** Statuses that pass. 409: the service has not noticed yet that an earlier attempt was aborted. */
const temporaryStatuses = new Set([409, 429, 503]);

/** Uploads one file. By XMLHttpRequest, because fetch does not report how much was sent. */
export const sendFile: UploadTransport['send'] = async ({ file, labels, idempotencyKey }, onSent, signal) => {
  try {
    await whenAllowed(signal);
  } catch {
    return { outcome: 'interrupted' };
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(labels)) if (value !== '') form.set(name, value);
  form.set('file', file);
  const xhr = new XMLHttpRequest();
  xhr.open('POST', `${apiUrl}/media/upload`);
  for (const [name, value] of Object.entries(authorization())) xhr.setRequestHeader(name, value);
  // When the response is lost the file is sent again, and gets the same response.
  xhr.setRequestHeader('Idempotency-Key', idempotencyKey);
  xhr.upload.addEventListener('progress', ({ loaded, total }) => {
    // The form's own bytes are counted as well; the fraction of the file is what people read.
    onSent(total > 0 ? Math.min(file.size, (file.size * loaded) / total) : 0);
  });
  signal.addEventListener('abort', () => xhr.abort());
  return new Promise<SendResult>((resolve) => {
    xhr.addEventListener('load', () => resolve(toResult(xhr)));
    xhr.addEventListener('error', () => resolve(whenBroken()));
    xhr.addEventListener('abort', () => resolve({ outcome: 'interrupted' }));
    xhr.send(form);
  });
};

/** Seconds until a service that is away is tried again. */
const awaySeconds = 5;

/** A connection that breaks may be because of the file; when the service is away it is not. */
const whenBroken = (): SendResult =>
  isReachable() ? { outcome: 'interrupted' } : { outcome: 'interrupted', waitSeconds: awaySeconds, busy: true };

function toResult(xhr: XMLHttpRequest): SendResult {
  if (temporaryStatuses.has(xhr.status)) {
    const waitSeconds = readRetryAfter(xhr.getResponseHeader('Retry-After')) ?? 0;
    if (xhr.status === 429) pauseRequests(waitSeconds);
    return { outcome: 'interrupted', waitSeconds, busy: xhr.status === 429 };
  }
  let body: UploadMediaResponse | undefined;
  try {
    body = JSON.parse(xhr.responseText) as UploadMediaResponse;
  } catch {
    // The response of a proxy in between; only its status is of use.
  }
  if (body?.success) return { outcome: 'sent', mediaId: body.data.id, duplicate: body.meta?.duplicate === true };
  const error = toApiError(body, xhr.status, { get: (name) => xhr.getResponseHeader(name) });
  return { outcome: 'failed', message: error.message, retry: whenToRetry(error) };
}

/** A request that was wrong stays wrong; a plan that is full has room once something is deleted. */
function whenToRetry({ code, status }: ApiError): Failure['retry'] {
  if (code === 'quota_exceeded') return 'later';
  return status >= 400 && status < 500 && status !== 401 ? 'never' : 'now';
}
