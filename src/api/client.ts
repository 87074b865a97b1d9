import { createClient } from '../../clients/typescript/client.ts';
import { setDefaultClient } from '../../clients/typescript/operations.ts';
import { apiUrl, connection } from './connection.ts';
import { noteReachable } from './reachability.ts';

/** The workspace's key, from the session. Kept in memory only: a script that reads storage does not find it. */
let apiKey: string | null = connection?.key ?? null;

const keyListeners = new Set<() => void>();

export function setApiKey(key: string | null): void {
  // Another service's key does not come from the session.
  if (connection || key === apiKey) return;
  apiKey = key;
  for (const listener of keyListeners) listener();
}

/** Calls back when the key is another one. */
export const onApiKey = (listener: () => void): void => void keyListeners.add(listener);

export const currentApiKey = (): string | null => apiKey;

/** The service that is shown: what all functions of the API are called with. A page waits as long as it is open, and says so. */
export const client = createClient({
  url: apiUrl,
  key: currentApiKey,
  maxWaitSeconds: Infinity,
  onReachable: noteReachable,
});
setDefaultClient(client);
