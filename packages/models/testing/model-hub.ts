import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type Preset, presets } from '../semantic/presets.ts';

/** The model that the hub has. */
export const hubPreset = presets[0] as Preset;

/** The revision that the hub has. */
export const hubRevision = 'f'.repeat(40);

export type ModelHub = AsyncDisposable & {
  url: string;
  /** What was asked for, in order: the path and, behind a space, the range. */
  requests: string[];
};

/**
 * A hub of the Hugging Face kind that has one model.
 * @param folder the model
 * @param preset what it is called there, `hubPreset` unless said
 * @param ranges whether it knows ranges, or sends all of a file each time
 * @param send answers for a file in another way than the hub would; returns false to leave it to the hub
 */
export async function startModelHub(
  folder: string,
  {
    preset = hubPreset,
    ranges = true,
    send = () => false,
  }: {
    preset?: Preset;
    ranges?: boolean;
    send?: (file: { name: string; content: Buffer; from: number }, response: ServerResponse) => boolean;
  } = {},
): Promise<ModelHub> {
  const asked: string[] = [];
  const files = new Map<string, Buffer>();
  for (const name of preset.files) {
    files.set(name, await readFile(path.join(folder, name)));
  }
  const tree = [...files].map(([name, content]) => ({
    type: 'file',
    path: name,
    size: content.length,
    oid: createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex'),
    ...(name.endsWith('.onnx')
      ? { lfs: { oid: createHash('sha256').update(content).digest('hex'), size: content.length } }
      : {}),
  }));
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    asked.push(`${url.split('?')[0]} ${request.headers.range ?? ''}`.trim());
    const api = `/api/models/${preset.repository}`;
    if (url.startsWith(`${api}/revision/main`)) return response.end(JSON.stringify({ sha: hubRevision }));
    if (url.startsWith(`${api}/tree/`)) return response.end(JSON.stringify(tree));
    const name = url.split(`/resolve/${hubRevision}/`)[1] ?? '';
    const content = files.get(name);
    if (!content) return response.writeHead(404).end();
    const from = ranges ? Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0;
    if (send({ name, content, from }, response)) return undefined;
    response.writeHead(from > 0 ? 206 : 200, { 'Content-Length': content.length - from });
    return response.end(content.subarray(from));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Lets a hub send the first bytes of the first weights and then break the connection off; from then on it is well. */
export function abortFirstDownload(
  bytes: number,
): NonNullable<NonNullable<Parameters<typeof startModelHub>[1]>['send']> {
  let broken = false;
  return ({ name, content }, response) => {
    if (broken || !name.endsWith('.onnx')) return false;
    broken = true;
    response.writeHead(200, { 'Content-Length': content.length });
    response.write(content.subarray(0, bytes));
    setTimeout(() => response.destroy(), 300);
    return true;
  };
}
