import {
  DefaultHttpStack,
  type DetailedError,
  type FileSource,
  type HttpResponse,
  Upload as TusUpload,
} from 'tus-js-client';
import { ApiError, isNotSupported, toApiError, unreachable } from '../api-error.ts';
import type { Client } from '../client.ts';
import { type Transport, call } from '../transport.ts';
import { FetchStack } from './fetch-stack.ts';
import { type Upload, type UploadedFile, isUploadOf } from './upload.ts';

/** An upload as the service describes it. */
type UploadState = {
  offset: number;
  length: number;
  media_id: string | null;
  duplicate: boolean;
  error: { code: string; message: string } | null;
};

/**
 * Sends a file in parts by the tus protocol, behind what the service has of it already.
 * @throws ApiError when the connection breaks or the service refuses; what was acknowledged stays on the service
 */
export async function sendParts(client: Client, source: Blob, upload: Upload): Promise<UploadedFile> {
  if (upload.address !== null) {
    const state = await readState(client, upload.address, upload.signal);
    // Another file, or one that the service has forgotten, begins from the front.
    if (state?.length !== source.size) upload.keep(null);
    else if (state.media_id !== null || state.error) return toResult(state, upload);
  }
  const created = await send(client, source, upload).catch(async (error: unknown) => {
    noteLostPart(client.transport);
    if (error instanceof ApiError && error.code === 'upload_discarded') upload.keep(null);
    // Why it was refused when all of it had arrived; then there is nothing to go on with.
    const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500;
    if (!isRefused || upload.address === null || [409, 423, 429, 460].includes(error.status)) throw error;
    const state = await readState(client, upload.address, upload.signal).catch(() => undefined);
    if (state === null || state?.error) upload.keep(null);
    // It was removed meanwhile. Thrown as it is, it would say that the service has no such uploads; as a break it begins from the front.
    throw state === null && isNotSupported(error) ? unreachable(error) : error;
  });
  const state = created ?? (upload.address === null ? null : await readState(client, upload.address, upload.signal));
  if (!state) throw unreachable();
  upload.report(source.size, source.size);
  return toResult(state, upload);
}

function toResult({ media_id, duplicate, error }: UploadState, upload: Upload): UploadedFile {
  if (error) {
    upload.keep(null);
    throw new ApiError(error.code as ApiError['code'], error.message, { status: 422, requestId: null });
  }
  if (media_id === null) throw unreachable();
  upload.keep(null);
  return { mediaId: media_id, duplicate };
}

/** What the service has of an upload; null when it knows none. */
async function readState(
  client: Client,
  address: string,
  signal: AbortSignal | undefined,
): Promise<UploadState | null> {
  if (!isUploadOf(client, address)) return null;
  try {
    const options = { url: address, signal: signal ?? null };
    const { data } = (await call({ ...client.transport, baseUrl: '' }, 'GET', options)) as { data: UploadState };
    return data;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 410)) return null;
    throw error;
  }
}

/**
 * Sends what is missing. tus-js-client would create a second upload when the first cannot be asked for at the moment, so it is told to
 * create one only where there is none.
 * @returns the state of an upload that needs no bytes, because the workspace has them; else null
 */
function send(client: Client, source: Blob, upload: Upload): Promise<UploadState | null> {
  const { transport } = client;
  const attempt = new Attempt<UploadState | null>(upload.signal, () => void tus.abort());
  const reader = new PartReader(source);
  let begun = 0;
  const tus: TusUpload = new TusUpload(source, {
    ...toRequests(client, upload),
    fileReader: { openFile: async () => reader },
    async onBeforeRequest(request) {
      if (attempt.isOver) throw unreachable();
      attempt.noteLife();
      begun = performance.now();
      for (const [name, value] of Object.entries(transport.authorization())) request.setHeader(name, value);
      // When the answer is lost the same upload goes on: the first one would hold the plan for an hour.
      if (request.getMethod() === 'POST') request.setHeader('Idempotency-Key', upload.idempotencyKey);
      const { checksum } = reader;
      if (request.getMethod() === 'PATCH' && checksum !== null) request.setHeader('Upload-Checksum', checksum);
    },
    async onAfterResponse(request, response) {
      transport.onReachable(true);
      const offset = Number.parseInt(response.getHeader('Upload-Offset') ?? '', 10);
      if (request.getMethod() === 'HEAD' && offset >= 0) attempt.tell(() => upload.report(offset, offset));
      if (request.getMethod() !== 'POST') return;
      const { data } = (readBody(response) ?? {}) as { data?: UploadState };
      if (!data?.media_id) return;
      void tus.abort();
      attempt.succeed(data);
    },
    onUploadUrlAvailable() {
      // Below the address that the client was given, whatever a proxy in between makes of it.
      const address = `${transport.baseUrl}/uploads/${tus.url?.split('/').at(-1)}`;
      tus.url = address;
      attempt.tell(() => upload.keep(address));
    },
    onProgress(sent) {
      attempt.noteLife();
      attempt.tell(() => upload.report(sent, upload.acknowledged));
    },
    onChunkComplete(size, acknowledged) {
      // The answer to the last part waits until the file is an item.
      if (acknowledged < source.size) notePart(transport, size, performance.now() - begun);
      tus.options.chunkSize = partSizeOf(transport);
      attempt.tell(() => upload.report(acknowledged, acknowledged));
    },
    onSuccess: () => attempt.succeed(null),
    onError: (error) => attempt.fail(toFailure(client, error)),
  });
  if (upload.signal?.aborted) attempt.stop(upload.signal.reason);
  else tus.start();
  return attempt.result;
}

/** What the requests of an upload are. */
const toRequests = ({ transport }: Client, upload: Upload): TusUpload['options'] => ({
  endpoint: upload.address === null ? `${transport.baseUrl}/uploads` : null,
  uploadUrl: upload.address,
  metadata: { filename: upload.filename, ...upload.labels, ...(upload.sha256 && { sha256: upload.sha256 }) },
  chunkSize: partSizeOf(transport),
  retryDelays: null,
  storeFingerprintForResuming: false,
  fingerprint: async () => '',
  httpStack: transport.hasOwnFetch ? new FetchStack(transport.fetch) : new DefaultHttpStack({}),
});

function readBody(response: HttpResponse): unknown {
  try {
    return JSON.parse(response.getBody());
  } catch {
    return undefined;
  }
}

/** What the library reports, as what the client throws. */
function toFailure({ transport }: Client, error: Error | DetailedError): Error {
  if (!('originalRequest' in error)) return error;
  const { originalResponse: response, causingError } = error;
  if (response) {
    return toApiError(readBody(response), response.getStatus(), { get: (name) => response.getHeader(name) ?? null });
  }
  // The file could not be read.
  if (causingError instanceof DOMException && causingError.name !== 'AbortError') return causingError;
  transport.onReachable(false);
  return unreachable(causingError ?? error);
}

/** A connection on which nothing moves for so long is dead, milliseconds. */
const stalledMs = 120_000;

/** One attempt to send what is missing of an upload: how it ends, and that it does. */
class Attempt<Result> {
  readonly result: Promise<Result>;
  isOver = false;
  #resolve!: (result: Result) => void;
  #reject!: (reason: unknown) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #stopRequests: () => void;

  /**
   * @param signal ends it with its reason
   * @param stopRequests is called when it ends before its requests do
   */
  constructor(signal: AbortSignal | undefined, stopRequests: () => void) {
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#signal = signal;
    this.#stopRequests = stopRequests;
    signal?.addEventListener('abort', this.#abort, { once: true });
  }

  readonly #abort = (): void => this.stop(this.#signal?.reason);

  /** Says that something was sent or received. */
  noteLife(): void {
    clearTimeout(this.#timer);
    if (this.isOver) return;
    this.#timer = setTimeout(() => this.stop(unreachable(new Error('Nothing was sent or received.'))), stalledMs);
  }

  /** Calls a function of the caller. What it throws ends the attempt; the library would take it for a broken connection. */
  tell(report: () => void): void {
    try {
      report();
    } catch (error) {
      this.stop(error);
    }
  }

  succeed(result: Result): void {
    this.#end();
    this.#resolve(result);
  }

  fail(reason: unknown): void {
    this.#end();
    this.#reject(reason);
  }

  /** Fails before the requests have ended. */
  stop(reason: unknown): void {
    this.#stopRequests();
    this.fail(reason);
  }

  #end(): void {
    this.isOver = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#abort);
  }
}

/** Reads a file part by part; a part is in memory as long as it is sent. */
class PartReader implements FileSource {
  readonly size: number;
  /** The checksum of the part that was read last, as `Upload-Checksum` wants it; null where the page may not compute one. */
  checksum: string | null = null;
  readonly #file: Blob;

  constructor(file: Blob) {
    this.size = file.size;
    this.#file = file;
  }

  /** @throws DOMException when the file was changed or removed */
  async slice(start: number, end: number) {
    const bytes = await this.#file.slice(start, end).arrayBuffer();
    this.checksum = await toChecksum(bytes);
    // The library wants a size, which bytes do not have.
    return { value: Object.assign(new Uint8Array(bytes), { size: bytes.byteLength }), done: end >= this.size };
  }

  close(): void {}
}

/** Browsers have `crypto.subtle` on pages by https and of the same machine only. Elsewhere parts go without a checksum. */
async function toChecksum(bytes: ArrayBuffer): Promise<string | null> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (!subtle) return null;
  const digest = new Uint8Array(await subtle.digest('SHA-256', bytes));
  return `sha256 ${btoa(String.fromCharCode(...digest))}`;
}

/** The service keeps nothing of an interrupted part, because it cannot compare its checksum: an interruption may cost this many seconds of sending. */
const secondsPerPart = 4;
const smallest = 2 ** 20;
/** A part is read into memory. */
const largest = 16 * 2 ** 20;

/** Bytes, by the connection: each file goes on with what was learned from the one before. */
const sizes = new WeakMap<Transport, number>();

/** Bytes of the next part. The first one finds out how fast the connection is. */
const partSizeOf = (transport: Transport): number => sizes.get(transport) ?? smallest;

/** Takes how long a part took until it was acknowledged. */
function notePart(transport: Transport, bytes: number, milliseconds: number): void {
  const size = Math.round((1000 * secondsPerPart * bytes) / milliseconds);
  sizes.set(transport, Math.min(largest, Math.max(smallest, size)));
}

/** Takes that a part did not arrive. */
const noteLostPart = (transport: Transport): void => void sizes.delete(transport);
