import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createSecrets, hashToken, loadSecrets, randomToken } from './secrets.ts';

test('what is sealed comes back, looks different each time, and cannot be altered', () => {
  const secrets = createSecrets(new Uint8Array(32).fill(7));
  const sealed = secrets.seal('service_käse');
  expect(secrets.unseal(sealed)).toBe('service_käse');
  expect(secrets.seal('service_käse')).not.toEqual(sealed);
  expect(Buffer.from(sealed).includes('service_')).toBe(false);
  const altered = Uint8Array.from(sealed);
  altered[14] = (altered[14] ?? 0) ^ 1;
  expect(() => secrets.unseal(altered)).toThrow();
  expect(() => createSecrets(new Uint8Array(32).fill(8)).unseal(sealed)).toThrow();
});

test('a signature holds for its own text only', () => {
  const secrets = createSecrets(new Uint8Array(32).fill(7));
  const signature = secrets.sign('/files/a\n1');
  expect(secrets.verify('/files/a\n1', signature)).toBe(true);
  expect(secrets.verify('/files/a\n2', signature)).toBe(false);
  expect(secrets.verify('/files/a\n1', `${signature}x`)).toBe(false);
  expect(secrets.verify('/files/a\n1', '')).toBe(false);
});

test('the secret is made once, readable by its owner only, and shared by all that start together', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'media-search-secret-'));
  try {
    const together = await Promise.all(Array.from({ length: 20 }, () => loadSecrets(path.join(folder, 'secret.key'))));
    const again = await loadSecrets(path.join(folder, 'secret.key'));
    for (const secrets of together) expect(again.verify('x', secrets.sign('x'))).toBe(true);
    expect((await stat(path.join(folder, 'secret.key'))).mode & 0o777).toBe(0o600);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('tokens carry 256 bits and are stored as hashes', () => {
  expect(randomToken()).toMatch(/^[\w-]{43}$/);
  expect(randomToken()).not.toBe(randomToken());
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
