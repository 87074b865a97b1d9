import { randomUUIDv7 } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { basePath } from '../../contract/base-path.ts';
import { type MediaItem, uploadFields } from '../../contract/media.ts';
import { operations } from '../../contract/operations.ts';
import type { AssetStore } from '../assets/asset-store.ts';
import { acceptedMedia, detectMediaType } from '../assets/detect-media-type.ts';
import { findUnknownLabels } from '../catalog/labels.ts';
import { addMedia, type AddedMedia, findMediaByContent, type MediaRow } from '../catalog/media-items.ts';
import { findUploadExcess, readStorageLeft } from '../catalog/quota.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { Secrets } from '../secrets.ts';
import { ApiError } from './api-error.ts';
import { baseUrlOf } from './base-url.ts';
import { replay, type Repeatable, repeatable } from './idempotency.ts';
import { toMediaItem } from './media-item.ts';
import { invalid, type OperationResult, read, serveOperation } from './operation-routes.ts';
import { overQuota } from './quota.ts';
import { type ReceivedFile, receiveForm } from './receive-form.ts';

export type UploadRouteParts = {
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
const formOverhead = 64 * 1024;

/** `POST /media/upload`: streams the file to disk while it is hashed; answers when file and row are durable. */
export function serveUpload(app: FastifyInstance, parts: UploadRouteParts): void {
  const { db, assets, secrets, publicUrl } = parts;
  const operation = operations.uploadMedia;

  serveOperation(
    app,
    operation,
    ({ workspaceId, request, reply }) =>
      repeatable(db, operation, request, async (repetition) => {
        const room = await checkRoom(parts, workspaceId, request);
        const folder = await assets.newUploadFolder();
        try {
          const { file, fields } = await receiveForm(request, folder, room);
          const labels = read(uploadFields, fields, 'body');
          const kept = repetition.recall([file.sha256, file.filename, labels]);
          if (kept) {
            replay(reply, kept);
            const body = kept.body as { data: MediaItem; meta?: { duplicate: true } };
            return { status: kept.status, ...body };
          }
          const show = (row: MediaRow) => toMediaItem(row, secrets, baseUrlOf(request, publicUrl));
          const upload = await store(parts, workspaceId, file, labels, repetition, show);
          if (upload.status === 202) {
            parts.onStored();
            void reply.header('Location', locationOf(upload));
          }
          return upload;
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      }),
    // A large file over a slow line takes its time; a line that falls silent is closed by the connection's timeout.
    { seconds: null },
  );
}

const locationOf = ({ data }: Upload): string => `${basePath}/media/${data.id}`;

/** Refuses what cannot fit before it is read, as far as that can be told; what can is bounded by the room there is. */
async function checkRoom({ db, maxUploadBytes }: UploadRouteParts, workspaceId: string, request: FastifyRequest) {
  const declared = Number(request.headers['content-length'] ?? 0);
  const excess = await findUploadExcess(db, workspaceId, Math.max(0, declared - formOverhead));
  if (excess) throw overQuota(excess);
  const tooLarge = () =>
    new ApiError(
      'payload_too_large',
      `A file may hold at most ${maxUploadBytes} bytes (${(maxUploadBytes / 2 ** 30).toFixed(2)} GiB).`,
    );
  if (declared - formOverhead > maxUploadBytes) throw tooLarge();
  const left = await readStorageLeft(db, workspaceId);
  if (left === null || left >= maxUploadBytes) return { bytes: maxUploadBytes, refusal: tooLarge };
  const beyond = await findUploadExcess(db, workspaceId, left + 1);
  // The parser stops a file that reaches its limit, so one that fits exactly needs a byte more.
  return { bytes: left + 1, refusal: () => (beyond ? overQuota(beyond) : tooLarge()) };
}

async function store(
  { db, assets }: UploadRouteParts,
  workspaceId: string,
  file: ReceivedFile,
  labels: { creator_id?: string | undefined; category_id?: string | undefined },
  repetition: Repeatable,
  show: (row: MediaRow) => MediaItem,
): Promise<Upload> {
  const asDuplicate = (row: MediaRow): Upload => ({ status: 200, data: show(row), meta: { duplicate: true } });
  const asNew = (row: MediaRow): Upload => ({ status: 202, data: show(row) });
  const keep = (transaction: Catalog, upload: Upload) =>
    repetition.keep(transaction, {
      status: upload.status ?? 202,
      headers: upload.status === 202 ? { Location: locationOf(upload) } : {},
      body: { data: upload.data, ...(upload.meta ? { meta: upload.meta } : {}) },
    });

  const unknown = await findUnknownLabels(db, workspaceId, labels);
  if (unknown.length > 0) throw unknownLabels(unknown);
  const existing = await findMediaByContent(db, workspaceId, file.sha256);
  if (existing) {
    await keep(db, asDuplicate(existing));
    return asDuplicate(existing);
  }
  const detected = await detectMediaType(file.path);
  if (!detected) {
    throw new ApiError('unsupported_media_type', `${file.filename} is no video or image. Accepted: ${acceptedMedia}.`);
  }
  const media = {
    workspace_id: workspaceId,
    id: randomUUIDv7(),
    filename: file.filename,
    type: detected.type,
    mime_type: detected.mimeType,
    size: file.size,
    sha256: file.sha256,
    creator_id: labels.creator_id ?? null,
    category_id: labels.category_id ?? null,
  };
  await assets.adoptOriginal(file.path, media);
  let added: AddedMedia | undefined;
  try {
    added = await addMedia(db, media, (transaction, row) =>
      keep(transaction, row.id === media.id ? asNew(row) : asDuplicate(row)),
    );
  } finally {
    // Refused after all, or the same bytes came in twice at once and the other request was first.
    if (added?.kind !== 'added') await assets.remove(media);
  }
  if (added.kind === 'excess') throw overQuota(added.excess);
  if (added.kind === 'unknown labels') throw unknownLabels(added.fields);
  return added.kind === 'added' ? asNew(added.row) : asDuplicate(added.row);
}

/** A refusal of creators or categories that the workspace does not have. */
export const unknownLabels = (fields: string[]): ApiError =>
  invalid(
    fields.map((field) => ({
      path: `body.${field}`,
      message: `names no ${field === 'creator_id' ? 'creator' : 'category'} of this workspace`,
    })),
  );
