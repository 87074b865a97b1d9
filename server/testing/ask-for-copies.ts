import { type RequestOptions, unknownId } from './valid-requests.ts';

type CopyOperation =
  | 'listCopies'
  | 'listDuplicates'
  | 'keepBestCopy'
  | 'dismissCopies'
  | 'getCopySearch'
  | 'updateCopySearch'
  | 'searchMediaByVideo';

type Ask = (id: CopyOperation, asked: RequestOptions, status?: number) => Promise<unknown>;

/** Provokes the statuses of the operations on copies that a complete item and another one are enough for. @param photo a form with a photograph */
export async function askForCopies(good: Ask, item: string, photo: FormData, text: FormData): Promise<void> {
  await good('listCopies', { id: item });
  await good('listDuplicates', {});
  await good('getCopySearch', {});
  await good('updateCopySearch', { json: { paused: false } });
  await good('dismissCopies', { json: { ids: [item, unknownId] } });
  await good('searchMediaByVideo', { json: { media_id: item } });
  await good('searchMediaByVideo', { json: { media_id: unknownId } }, 404);
  await good('searchMediaByVideo', { form: photo });
  await good('searchMediaByVideo', { form: text }, 422);
  // An item that is named beside itself is kept, and nothing is deleted.
  await good('keepBestCopy', { json: { keep_id: item, other_ids: [item] } });
  await good('keepBestCopy', { json: { keep_id: item, other_ids: [unknownId] } }, 404);
}
