/** Bytes that are read from the file at once. */
const pieceSize = 2 ** 20;

/**
 * A form with one file as a stream (RFC 7578; names as https://html.spec.whatwg.org/#multipart-form-data has them). A form of Node hangs, and
 * ends the process, when its file cannot be read to the end; this stream fails, and says how much was read.
 * @param onRead is told the bytes of the file that were taken so far
 */
export function streamForm(
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
