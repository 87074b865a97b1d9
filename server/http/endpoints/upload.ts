import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import { type MediaItem, uploadFields } from '../../../contract/media.ts';
import { operations } from '../../../contract/operations.ts';
import type { AssetStore } from '../../assets/asset-store.ts';
import type { StoredResponse } from '../../catalog/idempotency.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { Secrets } from '../../crypto/secrets.ts';
import { storeMedia, type StoredMedia } from '../../uploads/store-media.ts';
import { findUploadLimit } from '../../uploads/upload-limit.ts';
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
        const declared = Number(request.headers['content-length'] ?? 0);
        const limit = await findUploadLimit(parts, workspaceId, Math.max(0, declared - maxFormOverheadBytes));
        return assets.withScratchFolder(async (folder) => {
          const { file, fields } = await receiveForm(request, folder, limit, signal);
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
