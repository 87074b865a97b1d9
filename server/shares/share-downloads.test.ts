import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createShareDownloads } from './share-downloads.ts';

test('what is being sent of a link breaks off when it is revoked, that of other links goes on', async () => {
  const downloads = createShareDownloads();
  const server = createServer(({ url }, response) => {
    downloads.add(url ?? '', response);
    response.write('first');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const open = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    return reader;
  };
  const [revoked, alsoRevoked, other] = [await open('/a'), await open('/a'), await open('/b')];
  downloads.end('/a');
  await expect(revoked.read()).rejects.toThrow();
  await expect(alsoRevoked.read()).rejects.toThrow();
  const next = other.read();
  expect(await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 50, 'still open'))])).toBe(
    'still open',
  );
  downloads.end('/b');
  await expect(next).rejects.toThrow();
  server.close();
});
