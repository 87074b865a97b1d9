import { toApiError, unreachable } from '../api-error.ts';
import type { Client } from '../client.ts';
import { type Transport, call } from '../transport.ts';
import type { Upload, UploadedFile } from './upload.ts';

type Answer = { data: { id: string }; meta?: { duplicate?: boolean } };

/**
 * Sends a file by one request.
 * @throws ApiError
 */
export async function sendForm({ transport }: Client, source: Blob, upload: Upload): Promise<UploadedFile> {
  upload.report(0, 0);
  const isBrowser = typeof XMLHttpRequest !== 'undefined';
  const send = isBrowser ? (transport.hasOwnFetch ? sendByFetch : sendByXhr) : sendAsStream;
  // When the answer is lost the file is sent again, and gets the same answer.
  const headers = { 'Idempotency-Key': upload.idempotencyKey };
  const { data, meta } = await send({ ...transport, throttle: null }, source, upload, headers);
  upload.report(source.size, source.size);
  return { mediaId: data.id, duplicate: meta?.duplicate === true };
}

type Send = (transport: Transport, source: Blob, upload: Upload, headers: Record<string, string>) => Promise<Answer>;

const path = '/media/upload';

function toForm(source: Blob, { labels, filename }: Upload): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(labels)) form.set(name, value);
  form.set('file', source, filename);
  return form;
}

const sendByFetch: Send = async (transport, source, upload, headers) => {
  const { signal = null } = upload;
  const request = { url: path, body: toForm(source, upload), bodySerializer: null, headers, signal };
  return (await call(transport, 'POST', request)) as Answer;
};

const sendAsStream: Send = async (transport, source, upload, headers) => {
  const { labels, filename, signal = null } = upload;
  const form = streamForm(labels, { source, filename }, (sent) => upload.report(sent, 0));
  const request = {
    url: path,
    body: form.body,
    bodySerializer: null,
    headers: { ...headers, ...form.headers },
    signal,
  };
  return (await call(transport, 'POST', request)) as Answer;
};

/** `fetch` does not say how much was sent. */
const sendByXhr: Send = (transport, source, upload, headers) =>
  new Promise((resolve, reject) => {
    const { signal, report } = upload;
    const { size } = source;
    const xhr = new XMLHttpRequest();
    xhr.open('POST', `${transport.baseUrl}${path}`);
    for (const [name, value] of Object.entries({ ...transport.authorization(), ...headers })) {
      xhr.setRequestHeader(name, value);
    }
    xhr.upload.addEventListener('progress', ({ loaded, total }) => {
      // The form's own bytes are counted as well; the fraction of the file is what people read.
      report(total > 0 ? Math.min(size, (size * loaded) / total) : 0, 0);
    });
    const abort = () => xhr.abort();
    signal?.addEventListener('abort', abort, { once: true });
    xhr.addEventListener('loadend', () => signal?.removeEventListener('abort', abort));
    xhr.addEventListener('load', () => {
      const answer = parse(xhr.responseText);
      transport.onReachable(answer !== undefined || ![502, 503, 504].includes(xhr.status));
      if (answer && xhr.status < 300) resolve(answer as Answer);
      else if (xhr.status < 300) reject(unreachable());
      else reject(toApiError(answer, xhr.status, { get: (name) => xhr.getResponseHeader(name) }));
    });
    xhr.addEventListener('error', () => {
      transport.onReachable(false);
      reject(unreachable());
    });
    xhr.addEventListener('abort', () => reject(signal?.reason as Error));
    xhr.send(toForm(source, upload));
  });

/** Undefined for what no service answers. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Bytes that are read from the file at once. */
const pieceSize = 2 ** 20;

/**
 * A form with one file as a stream (RFC 7578; names as https://html.spec.whatwg.org/#multipart-form-data has them). A form of Node hangs, and
 * ends the process, when its file cannot be read to the end; this stream fails, and says how much was read.
 * @param onRead is told the bytes of the file that were taken so far
 */
function streamForm(
  fields: Record<string, string>,
  { source, filename }: { source: Blob; filename: string },
  onRead: (bytes: number) => void,
): { body: ReadableStream<Uint8Array>; headers: Record<string, string> } {
  const boundary = `form-${crypto.randomUUID()}`;
  const encoder = new TextEncoder();
  const head = encoder.encode(
    [
      ...Object.entries(fields).map(([name, value]) => `--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`),
      `--${boundary}\r\n${disposition('file')}; filename="${escape(filename)}"\r\n`,
      `Content-Type: ${source.type || 'application/octet-stream'}\r\n\r\n`,
    ].join(''),
  );
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  async function* pieces() {
    yield head;
    for (let read = 0; read < source.size; read += pieceSize) {
      yield new Uint8Array(await source.slice(read, read + pieceSize).arrayBuffer());
      onRead(Math.min(source.size, read + pieceSize));
    }
    yield tail;
  }
  const iterator = pieces();
  return {
    body: new ReadableStream({
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    }),
    headers: {
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': String(head.length + source.size + tail.length),
    },
  };
}

const disposition = (name: string) => `Content-Disposition: form-data; name="${escape(name)}"`;

const escape = (name: string) => name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
