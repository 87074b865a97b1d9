import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { BusyError, FairQueue } from '../fair-queue.ts';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/**
 * Cost of a hash: 128 MiB and about 0.3 s, as the OWASP Password Storage Cheat Sheet recommends for scrypt (RFC 7914).
 * Hashes contain their cost, so that it can be raised later.
 */
const cost = { ln: 17, r: 8, p: 1 };
const saltBytes = 16;
const hashBytes = 32;

/** The client that has a password hashed. */
export type Asker = {
  /** The network that the request came from: networks take turns. */
  network: string;
  /** Aborts when the client waits for the hash no longer. */
  signal: AbortSignal;
};

/** Hashes are computed one after another, because each takes much memory. Networks take turns, so many requests of one delay those of another by one hash. */
const queue = new FairQueue({ concurrency: 1, bounds: { each: 16, all: 64 } });
const maxWaitMs = 10_000;

/** Throws `BusyError` when too many wait, or this one has for long, and the signal's reason when that aborts before its turn. */
async function computeHash(password: string, salt: Buffer, { ln, r, p }: typeof cost, { network, signal }: Asker) {
  const waited = new AbortController();
  const timer = setTimeout(() => waited.abort(new BusyError('Too many passwords are waiting.')), maxWaitMs);
  const endTurn = await queue
    .waitForTurn({ owner: network }, AbortSignal.any([signal, waited.signal]))
    .finally(() => clearTimeout(timer));
  try {
    // Composed and decomposed accents are the same password.
    return await derive(password.normalize('NFKC'), salt, hashBytes, { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r });
  } finally {
    endTurn();
  }
}

const toText = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

/** Hashes a password for storing, in the PHC string format: `$scrypt$ln=17,r=8,p=1$salt$hash`. */
export async function hashPassword(password: string, asker: Asker): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await computeHash(password, salt, cost, asker);
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${toText(salt)}$${toText(hash)}`;
}

/**
 * Whether a password matches a stored hash. It takes as long without a hash, so that the time does not reveal which addresses have an
 * account.
 */
export async function verifyPassword(password: string, stored: string | null, asker: Asker): Promise<boolean> {
  const match = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(stored ?? '');
  if (!match) {
    await computeHash(password, Buffer.alloc(saltBytes), cost, asker);
    return false;
  }
  const [ln, r, p] = match.slice(1, 4).map(Number) as [number, number, number];
  const expected = Buffer.from(match[5] ?? '', 'base64');
  const actual = await computeHash(password, Buffer.from(match[4] ?? '', 'base64'), { ln, r, p }, asker);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
