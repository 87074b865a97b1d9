import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { basePath } from '../../../contract/base-path.ts';
import { CommandError, notSignedIn } from '../failures.ts';

/** Address of a service, and a key of a workspace there. */
export type Credentials = {
  /** An origin, or the base URL of an API that is not where ours is. */
  url: string;
  key: string;
};

/** The credentials in use, and where they come from. */
export type Account = Credentials & { source: string };

type Variables = Readonly<Record<string, string | undefined>>;

/** Address of a service that was started as its README says. */
export const defaultUrl = 'http://127.0.0.1:8080';

/** Holds the credentials, in the folder for configuration of the user. */
const credentialsFile = (folder: string): string => path.join(folder, 'credentials.json');

/**
 * The account that commands use. A stored key is sent to no other address than the one it was stored for.
 * @param folder the folder for configuration
 * @throws CommandError when there is none
 */
export async function findAccount(env: Variables, folder: string): Promise<Account> {
  const [url, key] = [env['MEDIA_SEARCH_URL'] ?? '', env['MEDIA_SEARCH_KEY'] ?? ''];
  if (url !== '' && key !== '')
    return { url: checkUrl(url), key: checkKey(key), source: 'MEDIA_SEARCH_URL and MEDIA_SEARCH_KEY' };
  const stored = await readCredentials(folder);
  if (key !== '') return { url: stored?.url ?? defaultUrl, key: checkKey(key), source: 'MEDIA_SEARCH_KEY' };
  if (!stored) throw notSignedIn('Run `media-search login` first, or set MEDIA_SEARCH_URL and MEDIA_SEARCH_KEY.');
  if (url !== '' && checkUrl(url) !== stored.url)
    throw notSignedIn(`The stored key is for ${stored.url}. Set MEDIA_SEARCH_KEY to a key for ${url}.`);
  return { ...stored, source: credentialsFile(folder) };
}

/** What `login` stored, or null. */
export async function readCredentials(folder: string): Promise<Credentials | null> {
  const file = credentialsFile(folder);
  try {
    const { url, key } = JSON.parse(await readFile(file, 'utf8')) as Partial<Credentials>;
    return { url: checkUrl(String(url)), key: checkKey(String(key)) };
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return null;
    // Its content stays out of messages.
    throw notSignedIn(`${file} cannot be read. Run \`media-search login\`, which writes it again.`);
  }
}

/** Stores credentials so that only this user of the machine can read them. */
export async function storeCredentials(folder: string, credentials: Credentials): Promise<string> {
  const file = credentialsFile(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const written = `${file}.${process.pid}.new`;
  await rm(written, { force: true });
  // Created with these rights, so that there is no moment in which others can read it.
  const handle = await open(written, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(credentials, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(written, file);
  return file;
}

/** @returns whether there was something to remove */
export async function removeCredentials(folder: string): Promise<boolean> {
  try {
    await rm(credentialsFile(folder));
    return true;
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw failure;
  }
}

/**
 * The address of a service in its usual form: an origin and the base URL of its API are the same service.
 * @throws CommandError when it is none that a service can have
 */
export function checkUrl(text: string): string {
  // `URL.parse` came after Node 20.
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandError(`“${text}” is no address of a service. It looks like ${defaultUrl}.`);
  if (url.username !== '' || url.password !== '')
    throw new CommandError('The address of a service holds no name and no password.');
  const pathname = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${pathname === basePath ? '' : pathname}`;
}

/** Keys go into a header, so they hold visible ASCII only. The key itself stays out of the message. */
export function checkKey(text: string): string {
  const key = text.trim();
  if (/^[\u0021-\u007e]+$/.test(key)) return key;
  throw notSignedIn('This is no API key. It looks like service_…; find it in the dashboard under Settings, API Keys.');
}

/** Whether a key would go over the network as it is, for everyone on the way to read. */
export const isUnencrypted = (address: string): boolean => {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
};
