import { request as send } from 'node:http';
import { serve } from './serve.ts';

/** A request with bytes of an upload, as it passed. */
type Part = { offset: number; forwarded: number };

/** What happens to the next parts: cut off after so many bytes, or when their answer comes. */
type Break = number | 'answer';

/** A proxy in front of a service that breaks connections of uploads when a test says so, and notes what passed. */
export async function startBreakingProxy(target: string) {
  const breaks: Break[] = [];
  const methods: string[] = [];
  const parts: Part[] = [];
  const server = await serve((request, response) => {
    const { method = 'GET', url, headers } = request;
    methods.push(method);
    const isPart = method === 'PATCH';
    const part = { offset: Number(headers['upload-offset']), forwarded: 0 };
    if (isPart) parts.push(part);
    const fate = isPart ? breaks.shift() : undefined;
    const upstream = send(`${target}${url}`, { method, headers }, (answer) => {
      if (fate === 'answer') {
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.on('data', (chunk: Buffer) => {
      if (typeof fate === 'number' && part.forwarded + chunk.length > fate) {
        upstream.destroy();
        request.socket.destroy();
        return;
      }
      part.forwarded += chunk.length;
      upstream.write(chunk);
    });
    request.on('end', () => upstream.end());
  });
  return { ...server, breaks, methods, parts };
}
