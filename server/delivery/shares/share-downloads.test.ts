import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createMemoryPubSub } from '../../messaging/pubsub/pubsub.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { createShareDownloads } from './share-downloads.ts';

test('what is being sent of a link breaks off when it is revoked, that of other links goes on', async () => {
  await using catalog = await openTestCatalog();
  const pubsub = createMemoryPubSub({ error: (error: unknown) => expect.unreachable(String(error)) });
  const downloads = createShareDownloads(pubsub);
  const revoke = (id: string) => pubsub.publish(catalog.db, 'shares', id);
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
  await revoke('/a');
  await expect(revoked.read()).rejects.toThrow();
  await expect(alsoRevoked.read()).rejects.toThrow();
  const next = other.read();
  expect(await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 50, 'still open'))])).toBe(
    'still open',
  );
  await revoke('/b');
  await expect(next).rejects.toThrow();
  server.close();
});
