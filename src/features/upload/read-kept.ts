import { ApiError } from '../../../clients/typescript/api-error.ts';
import { client } from '../../api/client.ts';
import { getUpload } from '../../api/generated/api/index.ts';
import type { KeptUpload } from './kept-uploads.ts';

/**
 * Asks the service how far it has a kept upload. One that it has forgotten begins from the front.
 * @returns null for one that has ended: it was discarded or refused, or it is an item
 */
export async function readKept(kept: KeptUpload): Promise<KeptUpload | null> {
  const { address } = kept;
  // Perhaps of another service.
  if (!address?.startsWith(`${client.transport.baseUrl}/uploads/`)) return kept;
  try {
    const { data } = await getUpload({ path: { id: address.split('/').at(-1) ?? '' } });
    return data.error || data.media_id !== null ? null : { ...kept, kept: data.offset };
  } catch (error) {
    const isGone = error instanceof ApiError && error.status === 404;
    return isGone ? { ...kept, address: null, kept: 0 } : kept;
  }
}
