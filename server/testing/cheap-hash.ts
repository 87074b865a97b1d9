import { scryptSync } from 'node:crypto';

/** The hash of a password at so little cost that a test can guess many times; see `hashPassword` for what the service stores. */
export function cheapHash(password: string): string {
  const toText = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const salt = Buffer.alloc(16, 1);
  return `$scrypt$ln=4,r=1,p=1$${toText(salt)}$${toText(scryptSync(password, salt, 32, { N: 2 ** 4, r: 1, p: 1 }))}`;
}
