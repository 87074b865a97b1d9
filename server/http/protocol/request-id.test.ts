import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createRequestIds } from './requests.ts';

const ask = (remoteAddress: string, id: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-request-id': id } }) as unknown as IncomingMessage;

test.each([
  [['loopback'], '127.0.0.1', true],
  [['loopback'], '::1', true],
  [['loopback'], '::ffff:127.0.0.1', true],
  [['10.1.0.0/16', '192.0.2.7'], '10.1.200.3', true],
  [['10.1.0.0/16', '192.0.2.7'], '192.0.2.7', true],
  [['10.1.0.0/16', '192.0.2.7'], '10.2.0.1', false],
  [['2001:db8::/32'], '2001:db8:1::9', true],
  [['uniquelocal'], '203.0.113.5', false],
  [[], '127.0.0.1', false],
])('of the proxies %j the sender %s gives an identifier: %s', (proxies, sender, isTaken) => {
  const id = createRequestIds(proxies)(ask(sender, 'proxy-request-0001'));
  expect(id === 'proxy-request-0001').toBe(isTaken);
});

test('an identifier that could break a line of the log is not taken', () => {
  const getId = createRequestIds(['loopback']);
  for (const wrong of ['short', 'with space and more', 'line\nbreak0000', 'x'.repeat(200)]) {
    expect(getId(ask('127.0.0.1', wrong))).toMatch(/^[\da-f-]{36}$/);
  }
});
