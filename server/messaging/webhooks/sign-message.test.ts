import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { signMessage } from './send-message.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };

test('the message of the official vector has its signature', () => {
  expect(signMessage(message, [secret], new Date(1_614_265_330_000))).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('the official library accepts it by each of two secrets, and nothing that was changed', () => {
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const text = { ...message, body: '{"filename":"Fähre ✓.mp4"}' };
  const headers = signMessage(text, [secret, other], new Date());
  for (const each of [secret, other])
    expect(new Webhook(each).verify(text.body, headers)).toEqual(JSON.parse(text.body));
  expect(() => new Webhook(other).verify(`${text.body} `, headers)).toThrow('No matching signature');
  expect(() => new Webhook(other).verify(text.body, { ...headers, 'webhook-id': 'other' })).toThrow('No matching');
  const stranger = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
  expect(() => new Webhook(stranger).verify(text.body, headers)).toThrow('No matching');
});
