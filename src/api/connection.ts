import { basePath } from '../../contract/base-path.ts';

/** Another service of the same API that the dashboard shows instead of its own. */
export type Connection = {
  /** Base address of its API, such as `https://media.example/api/v1`. */
  address: string;
  key: string;
};

/** Kept for this tab only: whoever opens the browser tomorrow does not find the key. */
const storedAs = 'connection';

function read(): Connection | null {
  try {
    const { address, key } = JSON.parse(sessionStorage.getItem(storedAs) ?? 'null') as Connection;
    return { address, key };
  } catch {
    return null;
  }
}

/** The service that is shown instead of the own one, or null. It stays the same until the page is loaded anew. */
export const connection = read();

/** Base address of the API that is shown. */
export const apiAddress = connection?.address ?? `${window.location.origin}${basePath}`;

/** Shows another service, or with null the own one, from the library on. */
export function connectTo(next: Connection | null): void {
  if (next) sessionStorage.setItem(storedAs, JSON.stringify(next));
  else sessionStorage.removeItem(storedAs);
  window.location.assign('/');
}
