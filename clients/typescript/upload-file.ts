import { ApiError, isNotSupported } from './api-error.ts';
import type { Client } from './client.ts';
import type { UploadMediaData } from './generated/index.ts';
import { pause } from './pause.ts';
import { call, type Transport } from './transport.ts';
import { sendForm } from './uploads/send-form.ts';
import { isUploadOf, type Upload, type UploadedFile } from './uploads/upload.ts';

/** Creator, category and collection by their identifiers, and names of tags with commas in between. */
export type UploadLabels = Omit<UploadMediaData['body'], 'file'>;

export type UploadProgress = {
  /** Bytes that have left this machine. Some of them are sent again when the connection breaks. */
  sent: number;
  /** Bytes that the service has stored durably: they are never sent again. */
  acknowledged: number;
  /** Bytes of the file. */
  total: number;
};

/** Where the address of an upload is kept, so that it goes on behind what was acknowledged, also after a restart of the program. */
export type ResumeStorage = {
  /** What was kept of this very file before, or null. */
  address: string | null;
  /** Keeps an address; null: the upload has ended, there is nothing to go on with. */
  keep: (address: string | null) => void;
};

export type UploadOptions = {
  /** Name of the item. Without it that of a `File`. */
  filename?: string;
  labels?: UploadLabels;
  /** Its SHA-256 checksum, if it is known, in hexadecimal: nothing is sent of a file that the workspace has already. */
  sha256?: string;
  /** Ends the sending; the promise is rejected with its reason. What arrived stays on the service for 24 hours; see `discardUpload`. */
  signal?: AbortSignal;
  onProgress?: (progress: UploadProgress) => void;
  /** Without it an upload goes on after breaks, but not in another run of the program. */
  resume?: ResumeStorage;
  /** Names this upload, so that a repeated request begins no second one and makes no second item. Without it a random one. */
  idempotencyKey?: string;
  /** False: the first break is thrown as an `ApiError`, for callers that repeat by themselves. */
  retry?: boolean;
};

/** Smaller files are sent by one ordinary request: there is little to go on with, bytes. */
const smallestResumable = 4 * 2 ** 20;
/** Waits after breaks without progress in between, milliseconds. After the last one the upload is given up. */
const retryDelays = [1000, 2000, 4000, 8000, 15_000, 30_000, 60_000];
/** 0: no answer. 409 and 423: the service has not noticed yet that an earlier request broke off. 460: a part was changed on its way. */
const passingStatuses = new Set([0, 409, 423, 429, 460, 500, 502, 503, 504]);

/** Services that have no resumable uploads. */
const withoutResumable = new WeakSet<Transport>();

/**
 * Uploads a file, from 4 MiB on in parts by the tus protocol: after a break it goes on behind what the service has acknowledged. To a
 * service without that protocol it is sent by one request. Resolves when the service has stored all of it; it is indexed behind that
 * (`waitForMedia`).
 * @param source a `File` or `Blob` of a browser, or what `openFile` gives in Node
 * @throws ApiError when the service refuses the file or stays away, the signal's reason when that aborts, and what reading the file throws
 */
export async function uploadFile(client: Client, source: Blob, options: UploadOptions = {}): Promise<UploadedFile> {
  const { signal, retry = true } = options;
  const upload = toUpload(source, options);
  for (let failures = 0, reached = -1; ; failures++) {
    try {
      return await sendOnce(client, source, upload);
    } catch (error) {
      signal?.throwIfAborted();
      // A file that was changed or removed meanwhile looks like a broken connection.
      if (error instanceof ApiError && error.status === 0) await source.slice(0, 1).arrayBuffer();
      if (!(error instanceof ApiError) || !passingStatuses.has(error.status)) throw error;
      if (error.status === 429 && error.retryAt !== null) {
        client.transport.throttle.pause((error.retryAt - Date.now()) / 1000);
      }
      if (upload.acknowledged > reached) failures = 0;
      reached = upload.acknowledged;
      const delay = retryDelays[failures];
      const wanted = (error.retryAt ?? 0) - Date.now();
      if (!retry || delay === undefined || wanted > 1000 * client.transport.maxWaitSeconds) throw error;
      await pause(Math.max(delay * (0.5 + Math.random() / 2), wanted), signal);
    }
  }
}

/**
 * Removes what the service keeps of an upload that was not completed; a client that still sends it gets `upload_discarded`. One that is gone already is
 * fine.
 */
export async function discardUpload(client: Client, address: string): Promise<void> {
  if (!isUploadOf(client, address)) return;
  const options = { url: address, headers: { 'Tus-Resumable': '1.0.0' } };
  await call({ ...client.transport, baseUrl: '' }, 'DELETE', options).catch((error: unknown) => {
    if (!(error instanceof ApiError && (error.status === 404 || error.status === 410))) throw error;
  });
}

function toUpload(source: Blob, { resume, onProgress, ...options }: UploadOptions): Upload {
  const upload: Upload = {
    filename: options.filename ?? (source instanceof File ? source.name : 'file'),
    labels: Object.fromEntries(Object.entries(options.labels ?? {}).filter(([, value]) => value !== '')),
    signal: options.signal,
    idempotencyKey: options.idempotencyKey ?? randomKey(),
    sha256: options.sha256,
    address: resume?.address ?? null,
    keep(address) {
      if (address === upload.address) return;
      upload.address = address;
      resume?.keep(address);
    },
    acknowledged: 0,
    report(sent, acknowledged) {
      upload.acknowledged = acknowledged;
      onProgress?.({ sent, acknowledged, total: source.size });
    },
  };
  return upload;
}

/** `crypto.randomUUID` is there on pages by https only. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

async function sendOnce(client: Client, source: Blob, upload: Upload): Promise<UploadedFile> {
  const { transport } = client;
  await transport.throttle.whenAllowed(upload.signal);
  if (source.size < smallestResumable || withoutResumable.has(transport)) return sendForm(client, source, upload);
  // Loaded when it is needed: most files of most libraries are small.
  const { sendParts } = await import('./uploads/send-parts.ts');
  try {
    return await sendParts(client, source, upload);
  } catch (error) {
    if (!isNotSupported(error) || upload.address !== null) throw error;
    withoutResumable.add(transport);
    return sendForm(client, source, upload);
  }
}
