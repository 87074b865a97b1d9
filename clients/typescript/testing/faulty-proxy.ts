import { request as send } from 'node:http';
import { serve } from './serve.ts';

/** A request with bytes of an upload, as it passed. */
type Part = {
  offset: number;
  checksum: string | undefined;
  /** Bytes that went to the service. */
  forwarded: number;
  /** The status of the answer; null where none came. */
  status: number | null;
};

/**
 * What happens next: the connection breaks after so many bytes of parts, which may be several; or to one part: it breaks when its answer comes, a
 * byte is changed, or nothing goes wrong. `beginning`: the connection breaks when an answer to the beginning of an upload comes.
 */
type Fault = number | 'answer' | 'changed' | 'none' | 'beginning';

/** A proxy in front of a service that breaks connections of uploads, and changes their bytes, when a test says so; notes what passed. */
export async function startFaultyProxy(target: string) {
  const faults: Fault[] = [];
  const methods: string[] = [];
  const parts: Part[] = [];
  /** Bytes of parts that count for the next break. */
  let passed = 0;
  const server = await serve((request, response) => {
    const { method = 'GET', url, headers } = request;
    methods.push(method);
    const offset = Number(headers['upload-offset']);
    const part: Part = { offset, checksum: headers['upload-checksum']?.toString(), forwarded: 0, status: null };
    const isPart = method === 'PATCH';
    if (isPart) parts.push(part);
    const fate = isPart === (faults[0] !== 'beginning') ? faults[0] : undefined;
    if (typeof fate === 'string') faults.shift();
    const upstream = send(`${target}${url}`, { method, headers }, (answer) => {
      if (fate === 'answer' || fate === 'beginning') {
        request.socket.destroy();
        return;
      }
      part.status = answer.statusCode ?? null;
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.on('data', (chunk: Buffer) => {
      if (upstream.destroyed) return;
      if (typeof fate === 'number') passed += chunk.length;
      if (typeof fate === 'number' && passed > fate) {
        faults.shift();
        passed = 0;
        upstream.destroy();
        request.socket.destroy();
        return;
      }
      if (fate === 'changed' && part.forwarded === 0) chunk[0] = ~(chunk[0] ?? 0);
      part.forwarded += chunk.length;
      upstream.write(chunk);
    });
    request.on('end', () => upstream.end());
  });
  return { ...server, faults, methods, parts };
}
