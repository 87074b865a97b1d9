import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** What the service encrypts and signs with. Everything is derived from one random file in the data folder. */
export type Secrets = {
  /** Encrypts a text with AES-256-GCM. */
  seal(text: string): Uint8Array;
  /** Decrypts what `seal` made. Throws when it was altered or sealed with another secret. */
  unseal(sealed: Uint8Array): string;
  /** HMAC-SHA-256 of a text, base64url. */
  sign(text: string): string;
  /** Whether `signature` is that of `text`, compared in constant time. */
  verify(text: string, signature: string): boolean;
};

/** Reads the secret file of a data folder and makes it at the first start. */
export async function loadSecrets(dataDirectory: string): Promise<Secrets> {
  const file = path.join(dataDirectory, 'secret.key');
  const existing = await readFile(file).catch(() => null);
  const master = existing ?? (await createSecret(file));
  if (master.length !== 32) throw new Error(`${file} is damaged: it must hold 32 bytes. Restore it from a backup.`);
  return createSecrets(master);
}

async function createSecret(file: string): Promise<Buffer> {
  // A name of its own for each call: two in one process must not write into, or remove, the same file.
  const temporary = `${file}.${randomBytes(8).toString('hex')}`;
  await writeFile(temporary, randomBytes(32), { mode: 0o600, flush: true });
  // A link fails when the file is there already, so of two that start at once the first one's secret stands.
  await link(temporary, file).catch(() => undefined);
  await rm(temporary);
  return readFile(file);
}

export function createSecrets(master: Uint8Array): Secrets {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', master, '', purpose, 32));
  const sealingKey = derive('api keys');
  const signingKey = derive('asset addresses');
  const sign = (text: string) => createHmac('sha256', signingKey).update(text).digest('base64url');
  return {
    seal(text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce);
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    unseal(sealed) {
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv('aes-256-gcm', sealingKey, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
    },
    sign,
    verify(text, signature) {
      const expected = Buffer.from(sign(text));
      const given = Buffer.from(signature);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

/** A secret nobody can guess: 256 random bits, base64url (43 characters). */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** How tokens are stored: SHA-256, hexadecimal. They are random, so no salt or slow hash is called for. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');
