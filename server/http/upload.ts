import { createHash, randomUUIDv7 } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { basePath } from '../../contract/endpoints.ts';
import { uploadFields } from '../../contract/media.ts';
import type { AssetStore } from '../assets/asset-store.ts';
import { acceptedMedia, detectMediaType } from '../assets/detect-media-type.ts';
import { addMedia, findMediaByContent, type NewMedia } from '../catalog/media-items.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { Secrets } from '../secrets.ts';
import { ApiError } from './api-error.ts';
import { baseUrlOf } from './base-url.ts';
import { toMediaItem } from './media-item.ts';
import { read, serveOperation } from './operation-routes.ts';

export type UploadRouteParts = {
  db: Catalog;
  assets: AssetStore;
  secrets: Secrets;
  publicUrl: string | null;
  maxUploadBytes: number;
  /** Told after an item was stored, so that a worker takes it at once. */
  onStored: () => void;
};

type ReceivedFile = { path: string; filename: string; size: number; sha256: string };

/** `POST /media/upload`: streams the file to disk while it is hashed; answers when file and row are durable. */
export function serveUpload(app: FastifyInstance, parts: UploadRouteParts): void {
  const { db, assets, secrets, publicUrl } = parts;
  serveOperation(app, 'uploadMedia', async ({ workspaceId, request, reply }) => {
    const folder = await assets.newUploadFolder();
    try {
      const { file, fields } = await receive(request, folder, parts.maxUploadBytes);
      const { row, duplicate } = await store(parts, workspaceId, file, read(uploadFields, fields, 'body'));
      const data = toMediaItem(row, secrets, baseUrlOf(request, publicUrl));
      if (duplicate) return { status: 200, data, meta: { duplicate: true as const } };
      parts.onStored();
      void reply.header('Location', `${basePath}/media/${row.id}`);
      return { data };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  async function store(
    { db: catalog }: UploadRouteParts,
    workspaceId: string,
    file: ReceivedFile,
    fields: { creator_id?: string | undefined; category_id?: string | undefined },
  ) {
    const existing = await findMediaByContent(catalog, workspaceId, file.sha256);
    if (existing) return { row: existing, duplicate: true };
    const detected = await detectMediaType(file.path);
    if (!detected) {
      throw new ApiError(
        'unsupported_media_type',
        `${file.filename} is no video or image. Accepted: ${acceptedMedia}.`,
      );
    }
    const media: NewMedia = {
      workspace_id: workspaceId,
      id: randomUUIDv7(),
      filename: file.filename,
      type: detected.type,
      mime_type: detected.mimeType,
      size: file.size,
      sha256: file.sha256,
      creator_id: fields.creator_id ?? null,
      category_id: fields.category_id ?? null,
    };
    await assets.adoptOriginal(file.path, media);
    const stored = await addMedia(db, media);
    // The same bytes came in twice at once and the other request was first.
    if (stored.duplicate) await assets.remove(media);
    return stored;
  }
}

/** Reads the form: exactly one part `file`, text fields before or after it. */
async function receive(
  request: FastifyRequest,
  folder: string,
  maxBytes: number,
): Promise<{ file: ReceivedFile; fields: Record<string, unknown> }> {
  if (!request.isMultipart()) {
    throw new ApiError('unsupported_media_type', 'The body must be multipart/form-data with a part named `file`.');
  }
  let file: ReceivedFile | undefined;
  const fields: Record<string, unknown> = {};
  try {
    for await (const part of request.parts({ limits: { fileSize: maxBytes } })) {
      if (part.type === 'field') {
        // An empty field of a browser's form means: not chosen.
        if (part.value !== '') fields[part.fieldname] = part.value;
      } else if (part.fieldname === 'file' && !file) {
        file = await saveFile(part, folder, maxBytes);
      } else {
        throw wrongForm(
          `The form may carry one file, in the part \`file\`; there is another in \`${part.fieldname}\`.`,
        );
      }
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (isTooLarge(error)) throw tooLarge(maxBytes);
    throw new ApiError('malformed_body', 'The form could not be read to its end. Send the file again.');
  }
  if (!file) throw wrongForm('The part `file` is missing.');
  return { file, fields };
}

async function saveFile(part: MultipartFile, folder: string, maxBytes: number): Promise<ReceivedFile> {
  const target = path.join(folder, 'file');
  const hash = createHash('sha256');
  let size = 0;
  const measure = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      size += bytes.length;
      hash.update(bytes);
      done(null, bytes);
    },
  });
  await pipeline(part.file, measure, createWriteStream(target, { flush: true }));
  if (part.file.truncated) throw tooLarge(maxBytes);
  if (size === 0) throw wrongForm('The file is empty.');
  return { path: target, filename: bareName(part.filename), size, sha256: hash.digest('hex') };
}

/** The last part of a path, without control characters, at most 255 characters. Browsers and scripts send whole paths. */
function bareName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const clean = last.normalize('NFC').replaceAll(/\p{C}/gu, '').trim();
  return Array.from(clean).slice(0, 255).join('') || 'untitled';
}

const wrongForm = (message: string) =>
  new ApiError('validation_error', message, { details: [{ path: 'body.file', message }] });

const tooLarge = (maxBytes: number) =>
  new ApiError(
    'payload_too_large',
    `A file may hold at most ${maxBytes} bytes (${(maxBytes / 2 ** 30).toFixed(2)} GiB).`,
  );

const isTooLarge = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'FST_REQ_FILE_TOO_LARGE';
