import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './passwords.ts';

test('a password is known again by its hash, which never comes out the same twice', async () => {
  const [first, second] = await Promise.all([hashPassword('korrekt häst'), hashPassword('korrekt häst')]);
  expect(first).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(first).not.toBe(second);
  expect(await verifyPassword('korrekt häst', first)).toBe(true);
  expect(await verifyPassword('korrekt hast', first)).toBe(false);
  expect(await verifyPassword('', first)).toBe(false);
});

test('accents may come composed or decomposed', async () => {
  expect(await verifyPassword('café noir'.normalize('NFD'), await hashPassword('café noir'.normalize('NFC')))).toBe(
    true,
  );
});

test('a hash says what it cost, so that older ones go on working', async () => {
  // RFC 7914, section 12: scrypt("pleaseletmein", "SodiumChloride", N=16384, r=8, p=1), here its first 32 bytes.
  const salt = Buffer.from('SodiumChloride').toString('base64').replaceAll('=', '');
  const hash = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex');
  const stored = `$scrypt$ln=14,r=8,p=1$${salt}$${hash.toString('base64').replaceAll('=', '')}`;
  expect(await verifyPassword('pleaseletmein', stored)).toBe(true);
  expect(await verifyPassword('pleaseletmeout', stored)).toBe(false);
});

test('without a stored hash nothing fits', async () => {
  expect(await verifyPassword('anything', null)).toBe(false);
  expect(await verifyPassword('anything', 'plain text')).toBe(false);
});
