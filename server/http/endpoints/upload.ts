import type { FastifyInstance, FastifyRequest } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import { type MediaItem, uploadFields } from '../../../contract/media.ts';
import { operations } from '../../../contract/operations.ts';
import { ApiError } from '../../api-error.ts';
import type { AssetStore } from '../../assets/asset-store.ts';
import type { StoredResponse } from '../../catalog/idempotency.ts';
import { findUploadQuotaViolation, readRemainingStorage } from '../../catalog/quota.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { Secrets } from '../../crypto/secrets.ts';
import { storeMedia, type StoredMedia } from '../../uploads/store-media.ts';
import { quotaExceededError } from '../limits/quota.ts';
import { replayHeaders, withIdempotencyKey } from '../operations/idempotency.ts';
import { type OperationResult, validate, serveOperation } from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/base-url.ts';
import { receiveForm } from '../request-bodies/receive-form.ts';
import { toMediaItem } from './media-item.ts';

export type UploadRouteDependencies = {
  db: Catalog;
  assets: AssetStore;
  secrets: Secrets;
  publicUrl: string | null;
  maxUploadBytes: number;
  /** Told after an item was stored, so that a worker takes it at once. */
  onStored: () => void;
};

type Upload = OperationResult<typeof operations.uploadMedia>;

/** Room that a form takes besides its file. */
const maxFormOverheadBytes = 64 * 1024;

/** `POST /media/upload`: streams the file to disk while it is hashed; answers when file and row are durable. */
export function serveUpload(app: FastifyInstance, parts: UploadRouteDependencies): void {
  const { db, assets, secrets, publicUrl } = parts;
  const operation = operations.uploadMedia;

  serveOperation(
    app,
    operation,
    ({ workspaceId, request, reply, signal }) =>
      withIdempotencyKey(db, operation, request, async (repetition) => {
        const room = await checkUploadLimits(parts, workspaceId, request);
        return assets.withScratchFolder(async (folder) => {
          const { file, fields } = await receiveForm(request, folder, room, signal);
          const labels = validate(uploadFields, fields, 'body');
          const kept = repetition.findStoredResponse([file.sha256, file.filename, labels]);
          if (kept) {
            replayHeaders(reply, kept);
            const body = kept.body as { data: MediaItem; meta?: { duplicate: true } };
            return { status: kept.status, ...body };
          }
          const answer = (stored: StoredMedia): Upload => {
            const data = toMediaItem(stored.row, secrets, getBaseUrl(request, publicUrl));
            return stored.duplicate ? { status: 200, data, meta: { duplicate: true } } : { status: 202, data };
          };
          const stored = await storeMedia(parts, workspaceId, file, labels, (transaction, outcome) =>
            repetition.storeResponse(transaction, toKeptResponse(answer(outcome))),
          );
          if (!stored.duplicate) {
            parts.onStored();
            void reply.header('Location', toLocation(answer(stored)));
          }
          return answer(stored);
        });
      }),
    // A large file over a slow line takes its time; a line that falls silent is closed by the connection's timeout.
    { kind: 'upload', timeoutSeconds: null },
  );
}

const toLocation = ({ data }: Upload): string => `${basePath}/media/${data.id}`;

const toKeptResponse = (upload: Upload): StoredResponse => ({
  status: upload.status ?? 202,
  headers: upload.status === 202 ? { Location: toLocation(upload) } : {},
  body: { data: upload.data, ...(upload.meta ? { meta: upload.meta } : {}) },
});

/** Refuses what cannot fit before it is read, as far as that can be told; what can is bounded by the room there is. */
async function checkUploadLimits(
  { db, maxUploadBytes }: UploadRouteDependencies,
  workspaceId: string,
  request: FastifyRequest,
) {
  const declared = Number(request.headers['content-length'] ?? 0);
  const excess = await findUploadQuotaViolation(db, workspaceId, Math.max(0, declared - maxFormOverheadBytes));
  if (excess) throw quotaExceededError(excess);
  const tooLarge = () =>
    new ApiError(
      'payload_too_large',
      `A file may hold at most ${maxUploadBytes} bytes (${(maxUploadBytes / 2 ** 30).toFixed(2)} GiB).`,
    );
  if (declared - maxFormOverheadBytes > maxUploadBytes) throw tooLarge();
  const left = await readRemainingStorage(db, workspaceId);
  if (left === null || left >= maxUploadBytes) return { bytes: maxUploadBytes, refusal: tooLarge };
  const beyond = await findUploadQuotaViolation(db, workspaceId, left + 1);
  // The parser stops a file that reaches its limit, so one that fits exactly needs a byte more.
  return { bytes: left + 1, refusal: () => (beyond ? quotaExceededError(beyond) : tooLarge()) };
}
