import { ApiError } from '../../api-error.ts';
import { deleteUpload, endUpload } from '../../catalog/uploads.ts';
import { type FinishParts, removeUploadFiles, storeRefusal, throwRefusal } from './finish-upload.ts';
import { type HeldUpload, supersededError } from './hold-upload.ts';

/**
 * Discards an upload. The row of an open one stays for a day, and says so to its client: to one that is told that there is no such upload, it
 * is lost, and begins again. The row of one that has ended goes.
 * Throws `upload_discarded` when it was discarded before.
 */
export async function discardUpload(
  parts: Pick<FinishParts, 'db' | 'assets' | 'partialFiles'>,
  held: HeldUpload['row'],
): Promise<void> {
  const refusal = storeRefusal(
    new ApiError('upload_discarded', 'This upload was discarded. What had arrived of it is gone.'),
  );
  if (held.error === refusal) throwRefusal(held);
  // Files first: they may be what the disk is full of. A crash in between leaves a row, which expires, and no file without one.
  await removeUploadFiles(parts, held);
  if (held.ended_at !== null) await deleteUpload(parts.db, held.workspace_id, held.id);
  else if (!(await endUpload(parts.db, held, { error: refusal }))) throw supersededError();
}
