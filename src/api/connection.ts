import { basePath } from '../../contract/base-path.ts';

/** Another service with the same API, shown instead of the dashboard's own one. */
export type Connection = {
  /** Base URL of its API, such as `https://media.example/api/v1`. */
  address: string;
  key: string;
};

/** In the session storage, so that the key is gone when the tab is closed. */
const storedAs = 'connection';

function read(): Connection | null {
  try {
    const { address, key } = JSON.parse(sessionStorage.getItem(storedAs) ?? 'null') as Connection;
    return { address, key };
  } catch {
    return null;
  }
}

/** The service shown instead of the dashboard's own one, or null. Read once, when the page loads. */
export const connection = read();

/** Base URL of the API in use. */
export const apiUrl = connection?.address ?? `${window.location.origin}${basePath}`;

/** Switches to another service, or with null back to the dashboard's own one, and opens the library. */
export function connectTo(next: Connection | null): void {
  if (next) sessionStorage.setItem(storedAs, JSON.stringify(next));
  else sessionStorage.removeItem(storedAs);
  window.location.assign('/');
}
