import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createBucketClient } from './bucket-client.ts';

test('a store that was silent for a moment and takes its time since is not given up for good', async () => {
  let isSilent = true;
  const unanswered = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    request.resume();
    unanswered.add(response);
    // Longer than a request has while the store is distrusted, as a large part takes on a slow line.
    if (!isSilent) setTimeout(() => response.writeHead(200, { 'content-length': '0' }).end(), 1500);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const response of unanswered) response.destroy();
    server.close();
  });
  const client = await createBucketClient({
    bucket: 'media',
    prefix: '',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: null,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    redirect: false,
    cacheBytes: 2 ** 20,
    idleMs: 2500,
  });
  const put = () =>
    client.s3.send(new client.sdk.PutObjectCommand({ Bucket: 'media', Key: 'a', Body: new Uint8Array(9) }));
  await expect(put()).rejects.toThrow();
  isSilent = false;
  const begun = performance.now();
  let isStored = false;
  while (!isStored && performance.now() - begun < 14_000) {
    isStored = await put().then(
      () => true,
      () => false,
    );
  }
  expect(isStored).toBe(true);
  expect(performance.now() - begun).toBeLessThan(12_000);
});
