import { expect, test } from 'vitest';
import { cheapHash } from '../../testing/cheap-hash.ts';
import { type Asker, hashPassword, verifyPassword } from './passwords.ts';

const asker: Asker = { network: '203.0.113.7', signal: new AbortController().signal };

test('a password is known again by its hash, which never comes out the same twice', async () => {
  const [first, second] = await Promise.all([hashPassword('korrekt häst', asker), hashPassword('korrekt häst', asker)]);
  expect(first).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(first).not.toBe(second);
  expect(await verifyPassword('korrekt häst', first, asker)).toBe(true);
  expect(await verifyPassword('korrekt hast', first, asker)).toBe(false);
  expect(await verifyPassword('', first, asker)).toBe(false);
});

test('accents may come composed or decomposed', async () => {
  expect(
    await verifyPassword('café noir'.normalize('NFD'), await hashPassword('café noir'.normalize('NFC'), asker), asker),
  ).toBe(true);
});

test('a hash says what it cost, so that older ones go on working', async () => {
  // RFC 7914, section 12: scrypt("pleaseletmein", "SodiumChloride", N=16384, r=8, p=1), here its first 32 bytes.
  const salt = Buffer.from('SodiumChloride').toString('base64').replaceAll('=', '');
  const hash = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex');
  const stored = `$scrypt$ln=14,r=8,p=1$${salt}$${hash.toString('base64').replaceAll('=', '')}`;
  expect(await verifyPassword('pleaseletmein', stored, asker)).toBe(true);
  expect(await verifyPassword('pleaseletmeout', stored, asker)).toBe(false);
});

test('without a stored hash nothing fits', async () => {
  expect(await verifyPassword('anything', null, asker)).toBe(false);
  expect(await verifyPassword('anything', 'plain text', asker)).toBe(false);
});

test('networks take turns, one has 16 passwords waiting, and an abandoned one is not hashed', async () => {
  const stored = cheapHash('right');
  const order: string[] = [];
  const verify = (network: string, signal = new AbortController().signal) =>
    verifyPassword('wrong', stored, { network, signal }).then(
      () => void order.push(network),
      (error: Error) => void order.push(`${network}: ${error.message}`),
    );
  // Slow, so that all others come while it runs.
  const slow = hashPassword('slow', { network: 'greedy', signal: asker.signal }).then(() => order.push('slow'));
  const gone = new AbortController();
  const aborted = Array.from({ length: 8 }, () => verify('gone', gone.signal));
  const greedy = Array.from({ length: 20 }, () => verify('greedy'));
  const patient = verify('patient');
  gone.abort(new Error('has left'));
  await Promise.all([slow, ...aborted, ...greedy, patient]);
  const before = order.slice(0, order.indexOf('slow'));
  expect(before.filter((each) => each === 'gone: has left')).toHaveLength(8);
  expect(before.filter((each) => each === 'greedy: Too many heavy requests.')).toHaveLength(4);
  expect(before).toHaveLength(12);
  const after = order.slice(before.length + 1);
  expect(after.indexOf('patient')).toBeLessThanOrEqual(1);
  expect(after).toHaveLength(17);
});
