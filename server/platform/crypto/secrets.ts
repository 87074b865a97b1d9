import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { StartupError } from '../../errors/startup-error.ts';
import { syncToDisk, writeSynced } from '../storage/durable-files.ts';

/** Encryption and signatures of the service. All keys are derived from one random file in the data folder. */
export type Secrets = {
  /** Encrypts a text with AES-256-GCM. */
  seal(text: string): Uint8Array;
  /** Decrypts what `seal` returned. Throws when it was altered or encrypted with another secret. */
  unseal(sealed: Uint8Array): string;
  /** HMAC-SHA-256 of a text, base64url. */
  sign(text: string): string;
  /** Whether `signature` is that of `text`, compared in constant time. */
  verify(text: string, signature: string): boolean;
};

export const secretFile = (dataDirectory: string): string => path.join(dataDirectory, 'secret.key');

/** Bytes of the secret file. */
const secretLength = 32;

/** Reads the secret file, and creates it at the first start. Throws `StartupError` when it is damaged. */
export async function loadSecrets(file: string): Promise<Secrets> {
  await createSecret(file);
  const secrets = await readSecrets(file);
  if (!secrets) throw new StartupError(`The secret key ${file} was removed while the service started; start it again.`);
  return secrets;
}

/** Reads the secret file; null when there is none. Throws `StartupError` when it is damaged. */
export async function readSecrets(file: string): Promise<Secrets | null> {
  const master = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new StartupError(`The secret key ${file} cannot be read (${error.message}). ${secretAdvice}`);
  });
  if (master && master.length !== secretLength) {
    throw new StartupError(
      `The secret key ${file} is damaged: it holds ${master.length} bytes instead of ${secretLength}. ${secretAdvice}`,
    );
  }
  return master && createSecrets(master);
}

/** The secrets of a process that is not given any: it encrypts nothing and signs nothing. */
export function createAbsentSecrets(): Secrets {
  const refuse = () => {
    throw new Error('This process has no secret key.');
  };
  return { seal: refuse, unseal: refuse, sign: refuse, verify: refuse };
}

/** What to do about a missing or damaged secret file. */
export const secretAdvice =
  'Put it back from a backup, or run npm run --silent admin -- secret replace, which gives each workspace a new API key.';

/** Creates the secret file unless it exists; it is durable when this returns. */
async function createSecret(file: string): Promise<void> {
  if (existsSync(file)) return;
  // Each call has a name of its own: two in one process must not write to, or remove, the same file.
  const temporary = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    await writeSynced(temporary, randomBytes(secretLength), 0o600);
    // A link fails when the file exists, so when two processes start at once the secret of the first one stays.
    await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await syncToDisk(path.dirname(file));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** A page of a hundred hits has three hundred signatures. They stay the same for hours, and computing them takes longer than finding the hits. */
const maxCachedSignatures = 30_000;

export function createSecrets(master: Uint8Array): Secrets {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', master, '', purpose, 32));
  const sealingKey = derive('api keys');
  // A key object: from bytes each signature would make one, which takes six times as long as to sign.
  const signingKey = createSecretKey(derive('asset addresses'));
  const hmac = (text: string) => createHmac('sha256', signingKey).update(text).digest('base64url');
  const signatures = new LRUCache<string, string>({ max: maxCachedSignatures });
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
    sign(text) {
      const known = signatures.get(text);
      if (known !== undefined) return known;
      const signature = hmac(text);
      signatures.set(text, signature);
      return signature;
    },
    verify(text, signature) {
      // Not from the cache: requests of strangers must not evict its entries.
      const expected = Buffer.from(hmac(text));
      const given = Buffer.from(signature);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

/** A random token: 256 bits, base64url (43 characters). */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** The hash that tokens are stored as: SHA-256, hexadecimal. Tokens are random, so they need no salt or slow hash. */
export const hashToken = (token: string): string => hash('sha256', token, 'hex');
