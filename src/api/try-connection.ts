import { ApiError } from '../../clients/typescript/api-error.ts';
import { createClient } from '../../clients/typescript/client.ts';
import type { Connection } from './connection.ts';
import { getWorkspace } from './generated/api/index.ts';

/** Makes sure that a service answers to a key. Throws `ApiError`. */
export async function tryConnection(other: Connection): Promise<Connection> {
  const client = createClient({ url: other.address, key: other.key });
  await getWorkspace({ client }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'offline') throw error;
    const message = 'No server answers at this URL, or it does not allow this page to connect (CORS).';
    throw new ApiError('offline', message, { status: 0, requestId: null });
  });
  return other;
}
