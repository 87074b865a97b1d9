import { basePath } from '../../contract/base-path.ts';
import { tus, type Upload } from '../../contract/uploads.ts';

type Headers = Record<string, string>;

const encode = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');

/** What a client of the tus protocol sends, one request at a time. */
export function createTusRequests({ url, key }: { url: string; key: string }) {
  const common = { Authorization: `Bearer ${key}`, 'Tus-Resumable': tus.version };
  const send = (method: string, path: string, headers: Headers, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { ...init, method, headers: { ...common, ...headers } });
  return {
    send,
    /** Begins an upload. */
    post: (length: number, metadata: Record<string, string> = {}, headers: Headers = {}) =>
      send('POST', `${basePath}/uploads`, {
        'Upload-Length': String(length),
        ...(Object.keys(metadata).length > 0 ? { 'Upload-Metadata': encode(metadata) } : {}),
        ...headers,
      }),
    /** Begins an upload that must be possible. @returns its path */
    async create(length: number, metadata: Record<string, string> = {}): Promise<string> {
      const answer = await this.post(length, metadata);
      if (answer.status !== 201) throw new Error(`POST ${answer.status}: ${await answer.text()}`);
      return String(answer.headers.get('Location'));
    },
    patch: (at: string, offset: number, body: Uint8Array, headers: Headers = {}, init: RequestInit = {}) =>
      send(
        'PATCH',
        at,
        { 'Upload-Offset': String(offset), 'Content-Type': tus.partType, ...headers },
        { body: Uint8Array.from(body), ...init },
      ),
    head: (at: string) => send('HEAD', at, {}),
    async get(at: string): Promise<Upload> {
      return ((await (await send('GET', at, {})).json()) as { data: Upload }).data;
    },
  };
}
