import { expect, test } from 'vitest';
import { serve } from '../../../typescript/testing/serve.ts';
import { openImmich } from './server.ts';

const open = (url: string, signal = new AbortController().signal) => openImmich(url, 'key', signal);

test('the key goes to no other address than the one that was given', async () => {
  const asked: (string | undefined)[] = [];
  await using elsewhere = await serve((request, response) => {
    asked.push(request.headers['x-api-key']?.toString());
    response.end('{}');
  });
  await using server = await serve((_, response) =>
    response.writeHead(302, { Location: `${elsewhere.url}/api/users/me` }).end(),
  );
  await expect(open(server.url).get('/users/me')).rejects.toThrow(
    `${server.url} sends to ${elsewhere.url}/api/users/me. Give that address.`,
  );
  expect(asked).toEqual([]);
});

test('what answers otherwise is no Immich server', async () => {
  await using server = await serve((_, response) => response.end('<html>'));
  await expect(open(server.url).get('/users/me')).rejects.toThrow(`What answers at ${server.url} is no Immich server.`);
});

test('a wait ends when the command is cancelled', async () => {
  const ending = new AbortController();
  await using server = await serve((_, response) => {
    response.writeHead(429, { 'Retry-After': '60' }).end();
    ending.abort();
  });
  await expect(open(server.url, ending.signal).get('/users/me')).rejects.toThrow(/abort/i);
});

test.for(['ftp://nas', 'nas:2283', 'http://user:secret@nas'])('%s is no address', (address) => {
  expect(() => open(address)).toThrow(/address/);
});
