import http from 'node:http';
import type { AddressInfo } from 'node:net';
import got from 'got';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAddress, checkedAgents, isRefusedAddress, type OutboundAccess } from './checked-agent.ts';

const server = http.createServer((_, response) => response.end('inside'));
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

const ask = (host: string, access: OutboundAccess) =>
  got(`http://${host}:${port}/`, {
    agent: checkedAgents(access),
    retry: { limit: 0 },
    timeout: { request: 2000 },
  }).text();

const refused = (host: string, access: OutboundAccess) =>
  ask(host, access).then(
    () => false,
    (error: unknown) => isRefusedAddress(error),
  );

describe('connections', () => {
  test('addresses of this machine and names that lead there are refused', async () => {
    const none = { allowedAddresses: [] };
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost', '0.0.0.0']) {
      expect([host, await refused(host, none)]).toEqual([host, true]);
    }
  });

  test('addresses and networks that are allowed are connected to, by name too', async () => {
    expect(await ask('127.0.0.1', { allowedAddresses: ['127.0.0.1'] })).toBe('inside');
    expect(await ask('127.0.0.1', { allowedAddresses: ['127.0.0.0/8'], plain: 'allowed' })).toBe('inside');
    expect(await ask('localhost', { allowedAddresses: ['127.0.0.0/8', '::1'] })).toBe('inside');
    expect(await refused('[::ffff:127.0.0.1]', { allowedAddresses: ['127.0.0.1'] })).toBe(true);
  });
});

describe('what would be connected to', () => {
  const judge = (url: string, access: OutboundAccess = { allowedAddresses: ['10.1.0.0/16', 'fd00::/8'] }) =>
    checkAddress(new URL(url), access);

  test.each([
    ['https://93.184.216.34/', 'checked'],
    ['http://93.184.216.34/', 'checked'],
    ['https://[2606:4700::1111]/', 'checked'],
    ['https://10.1.2.3/', 'checked'],
    ['https://[fd00::1]/', 'checked'],
    ['https://10.2.0.1/', 'refused'],
    ['https://172.31.255.255/', 'refused'],
    ['https://169.254.169.254/', 'refused'],
    ['https://100.64.0.1/', 'refused'],
    ['https://255.255.255.255/', 'refused'],
    ['https://[fe80::1]/', 'refused'],
    ['https://[64:ff9b::7f00:1]/', 'refused'],
    ['https://[2002:7f00:1::]/', 'refused'],
    ['https://0x7f.1/', 'refused'],
    ['https://name.invalid/', 'refused'],
  ])('%s: %s', async (url, verdict) => {
    expect(await judge(url)).toBe(verdict);
  });

  test('without TLS only what is allowed, where that is asked for', async () => {
    const access: OutboundAccess = { allowedAddresses: ['10.1.0.0/16'], plain: 'allowed' };
    expect(await judge('http://93.184.216.34/', access)).toBe('refused');
    expect(await judge('https://93.184.216.34/', access)).toBe('checked');
    expect(await judge('http://10.1.0.1/', access)).toBe('checked');
  });
});
