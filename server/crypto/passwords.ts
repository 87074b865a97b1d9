import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/**
 * Cost of a hash: 128 MiB and about 0.3 s, as the OWASP Password Storage Cheat Sheet recommends for scrypt (RFC 7914).
 * Hashes contain their cost, so that it can be raised later.
 */
const cost = { ln: 17, r: 8, p: 1 };
const saltBytes = 16;
const hashBytes = 32;

/** Hashes are computed one after another, because each takes much memory. */
let lastHash: Promise<unknown> = Promise.resolve();

function runInTurn<Result>(task: () => Promise<Result>): Promise<Result> {
  const result = lastHash.then(task);
  lastHash = result.catch(() => undefined);
  return result;
}

const computeHash = (password: string, salt: Buffer, { ln, r, p }: typeof cost) =>
  runInTurn(() =>
    // Composed and decomposed accents are the same password.
    derive(password.normalize('NFKC'), salt, hashBytes, { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r }),
  );

const toText = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

/** Hashes a password for storing, in the PHC string format: `$scrypt$ln=17,r=8,p=1$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await computeHash(password, salt, cost);
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${toText(salt)}$${toText(hash)}`;
}

/**
 * Whether a password matches a stored hash. It takes as long without a hash, so that the time does not reveal which addresses have an
 * account.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const match = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(stored ?? '');
  if (!match) {
    await computeHash(password, Buffer.alloc(saltBytes), cost);
    return false;
  }
  const [ln, r, p] = match.slice(1, 4).map(Number) as [number, number, number];
  const expected = Buffer.from(match[5] ?? '', 'base64');
  const actual = await computeHash(password, Buffer.from(match[4] ?? '', 'base64'), { ln, r, p });
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
