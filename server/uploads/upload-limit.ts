import { readUploadRoom } from '../catalog/accounts/quota.ts';
import { quotaExceededError } from '../catalog/accounts/quota.ts';
import type { Catalog } from '../catalog/schema.ts';
import { ApiError } from '../errors/api-error.ts';

/** Most bytes that a file may have, and the error for a larger one. */
export type SizeLimit = { bytes: number; tooLargeError: () => ApiError };

/**
 * How large a file may be that a workspace uploads: as large as the service takes, and as its plan has room for.
 * @param declaredBytes least size of the file, as far as the client declares it; 0 when it does not
 * Throws `quota_exceeded` and `payload_too_large` when a file of the declared size has no room.
 */
export async function findUploadLimit(
  { db, maxUploadBytes }: { db: Catalog; maxUploadBytes: number },
  workspaceId: string,
  declaredBytes: number,
): Promise<SizeLimit> {
  const room = await readUploadRoom(db, workspaceId);
  const violation = room.findViolation(declaredBytes);
  if (violation) throw quotaExceededError(violation);
  const tooLarge = () => tooLargeError(maxUploadBytes);
  if (declaredBytes > maxUploadBytes) throw tooLarge();
  if (room.bytes === null || room.bytes >= maxUploadBytes) return { bytes: maxUploadBytes, tooLargeError: tooLarge };
  const beyond = room.findViolation(room.bytes + 1);
  return { bytes: room.bytes, tooLargeError: () => (beyond ? quotaExceededError(beyond) : tooLarge()) };
}

export const tooLargeError = (maxUploadBytes: number): ApiError =>
  new ApiError(
    'payload_too_large',
    `A file may hold at most ${maxUploadBytes} bytes (${(maxUploadBytes / 2 ** 30).toFixed(2)} GiB).`,
  );
