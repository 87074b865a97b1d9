import { ApiError } from '../../../clients/typescript/api-error.ts';
import { client } from '../../api/client.ts';
import { isPartError, loadPart } from '../../api/parts.ts';
import { isReachable } from '../../api/reachability.ts';
import { describeError } from '../../lib/describe-error.ts';
import type { SendReport, SendRequest, SendResult } from './upload-transport.ts';
import type { Failure } from './upload.ts';

/** Statuses that pass. 409 and 423: the service has not noticed yet that an earlier attempt was aborted. Others come from a proxy. */
const temporaryStatuses = new Set([409, 423, 429, 502, 503, 504]);

/** Makes one attempt to upload a file: as a resumable upload, or by one request where the service has none. Never throws. */
export async function sendFile(
  { file, labels, idempotencyKey, address }: SendRequest,
  report: SendReport,
  signal: AbortSignal,
): Promise<SendResult> {
  try {
    const { uploadFile } = await loadPart(() => import('../../../clients/typescript/upload-file.ts'));
    const stored = await uploadFile(client, file, {
      filename: file.name,
      labels,
      signal,
      idempotencyKey,
      onProgress: ({ sent, acknowledged }) => report.progress(sent, acknowledged),
      resume: { address, keep: report.address },
      retry: false,
    });
    return { outcome: 'sent', ...stored };
  } catch (error) {
    return toResult(error);
  }
}

/** Makes the service forget what it keeps of a file; also while the page is being left. */
export function discardKept(address: string): void {
  const { baseUrl, authorization } = client.transport;
  // Kept by an earlier visit, perhaps of another service: the key is for this one.
  if (!address.startsWith(`${baseUrl}/uploads/`)) return;
  const headers = { ...authorization(), 'Tus-Resumable': '1.0.0' };
  // What is not discarded is forgotten by the service a day later.
  fetch(address, { method: 'DELETE', headers, keepalive: true }).catch(() => undefined);
}

/** A service that is away is tried again after so many seconds. */
const isAway: SendResult = { outcome: 'interrupted', waitSeconds: 5, busy: true };

function toResult(error: unknown): SendResult {
  // What sends could not be loaded.
  if (isPartError(error)) return isAway;
  if (!(error instanceof ApiError)) return { outcome: 'failed', message: describe(error), retry: 'now' };
  const { status, retryAt, message } = error;
  // A connection that breaks may be because of the file; when the service is away it is not.
  if (status === 0) return isReachable() ? { outcome: 'interrupted' } : isAway;
  if (temporaryStatuses.has(status)) {
    const waitSeconds = retryAt === null ? 0 : Math.max(0, (retryAt - Date.now()) / 1000);
    return { outcome: 'interrupted', waitSeconds, busy: status === 429 };
  }
  // A part was changed on its way.
  if (status === 460) return { outcome: 'interrupted', message };
  return { outcome: 'failed', message: describeError(error), retry: whenToRetry(error) };
}

/** What the browser says of a file that was moved or changed since it was chosen. */
const describe = (error: unknown): string =>
  error instanceof DOMException && error.name.startsWith('Not')
    ? 'The file was moved or changed. Choose it again.'
    : 'The upload could not be sent.';

/** A request that was wrong stays wrong; a plan that is full has room once something is deleted. */
function whenToRetry({ code, status }: ApiError): Failure['retry'] {
  if (code === 'quota_exceeded') return 'later';
  return status >= 400 && status < 500 && status !== 401 ? 'never' : 'now';
}
