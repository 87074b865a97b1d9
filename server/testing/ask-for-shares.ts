import { rename, writeFile } from 'node:fs/promises';
import type { Ask } from './ask-for-groups.ts';
import { unknownId } from './valid-requests.ts';

/**
 * Provokes what the operations of public links answer, and what a frame of a damaged original does.
 * @param item a complete item
 * @param original path of its file, which is damaged for a moment
 */
export async function askForShares(ask: Ask, item: string, original: string): Promise<void> {
  const share = await ask('createShare', { json: { media_id: item } });
  await ask('updateShare', { id: share.id, json: { expires_in_hours: 1 } });
  await ask('deleteShare', { id: share.id });
  await ask('createShare', { json: { media_id: unknownId } }, 404);
  await rename(original, `${original}.kept`);
  await writeFile(original, 'no picture');
  await ask('createShare', { json: { media_id: item } }, 422);
  await ask('getFrame', { id: item }, 422);
  await rename(`${original}.kept`, original);
}
