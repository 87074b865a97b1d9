import { createHmac } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from './index.ts';

/** Signed here by Node's own functions, as https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md says. */
const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const body =
  '{"type": "media.deleted",\n "timestamp": "2026-11-23T10:00:00.000Z", "data": {"media": {"filename": "Müller.mp4"}}}';

function signed(text: string, { id = 'event-1', at = Math.floor(Date.now() / 1000) } = {}) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${at}.${text}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,AAAA v1,${signature}` };
}

test('a signed request gives its event, as text and as bytes, with headers of Fetch and of Node', () => {
  const expected = { id: 'event-1', type: 'media.deleted', data: { media: { filename: 'Müller.mp4' } } };
  expect(verifyWebhook(secret, body, signed(body))).toMatchObject(expected);
  expect(verifyWebhook(secret, new TextEncoder().encode(body), new Headers(signed(body)))).toMatchObject(expected);
  const upperCase = Object.fromEntries(
    Object.entries(signed(body)).map(([name, value]) => [name.toUpperCase(), value]),
  );
  expect(verifyWebhook(secret, Buffer.from(body), upperCase)).toMatchObject(expected);
});

test.each([
  ['a body that was changed', () => verifyWebhook(secret, body.replace('deleted', 'created'), signed(body))],
  [
    'a body that was read and written again',
    () => verifyWebhook(secret, JSON.stringify(JSON.parse(body)), signed(body)),
  ],
  ['another secret', () => verifyWebhook(`whsec_${btoa('other')}`, body, signed(body))],
  ['another id', () => verifyWebhook(secret, body, { ...signed(body), 'webhook-id': 'event-2' })],
  ['no signature', () => verifyWebhook(secret, body, {})],
  ['a header that came twice', () => verifyWebhook(secret, body, { ...signed(body), 'webhook-id': ['event-1', 'x'] })],
  [
    'a signature without its version',
    () => verifyWebhook(secret, body, { ...signed(body), 'webhook-signature': 'v1' }),
  ],
  ['no object', () => verifyWebhook(secret, '1', signed('1'))],
  ['no body', () => verifyWebhook(secret, '', signed(''))],
])('%s is refused', (_, verify) => {
  expect(verify).toThrow(WebhookVerificationError);
});

test.each(['', 'whsec_', 'whsec_no base64!', undefined])('the secret %j is a mistake of the receiver', (broken) => {
  expect(() => verifyWebhook(broken as string, body, signed(body))).toThrow(
    new TypeError('The secret of the webhook is not `whsec_` and base64, as the settings show it.'),
  );
});

test('a request is good for five minutes before and after its time', () => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  try {
    for (const at of [1_700_000_000 - 300, 1_700_000_000 + 300]) verifyWebhook(secret, body, signed(body, { at }));
    for (const at of [1_700_000_000 - 301, 1_700_000_000 + 301]) {
      expect(() => verifyWebhook(secret, body, signed(body, { at }))).toThrow(WebhookVerificationError);
    }
  } finally {
    vi.useRealTimers();
  }
});
