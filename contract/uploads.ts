import { z } from 'zod';
import { notApplied, uploadFields } from './media.ts';
import type { Operation } from './operation.ts';
import { identifier, idParams, pageMeta, pageParameters, timestamp } from './parameters.ts';

/** The protocol of resumable uploads: https://tus.io/protocols/resumable-upload */
export const tus = {
  version: '1.0.0',
  extensions: ['creation', 'expiration', 'termination', 'checksum'],
  checksumAlgorithms: ['sha256', 'sha1'],
  /** The media type of a part. */
  partType: 'application/offset+octet-stream',
} as const;

/** Most uploads of a workspace that have not ended. */
export const maxOpenUploads = 256;

/** How long an upload is kept after its last byte, and after its end, hours. */
export const uploadHours = 24;

/** How long an upload is kept of which nothing has arrived, hours: its client may have lost the answer, and created another. */
export const emptyUploadHours = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 checksum in lower-case hexadecimal');

/** What `Upload-Metadata` says of the file. Other keys are kept and mean nothing, but what is nearly one of these labels is refused. */
export const uploadMetadata = uploadFields.extend({ filename: z.string().optional(), sha256: sha256.optional() });
export type UploadMetadata = z.output<typeof uploadMetadata>;

const length = z.int().min(1);

const upload = z
  .object({
    id: identifier,
    offset: z.int().min(0).describe('Bytes that are stored durably: where to go on.'),
    length: length.describe('Bytes of the whole file.'),
    expires_at: timestamp.describe(
      'When it is removed, unless more of it arrives: 24 hours after its last byte, and an hour after its beginning where nothing has arrived.',
    ),
    media_id: identifier.nullable().describe('The item that it has become; null: it has not ended well yet.'),
    duplicate: z.boolean().describe('The item was in the workspace already.'),
    not_applied: notApplied,
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why it was refused when all of it had arrived, or that it was discarded; null: neither.'),
  })
  .meta({
    id: 'Upload',
    examples: [
      {
        id: '01a1fbe4-6806-793e-a30f-22b8a44e4fd0',
        offset: 16_777_216,
        length: 48_000_000,
        expires_at: '2026-11-22T09:30:00.000Z',
        media_id: null,
        duplicate: false,
        error: null,
      },
    ],
  });
export type Upload = z.output<typeof upload>;

const exampleOpen = {
  id: '01a1fbe4-6806-793e-a30f-22b8a44e4fd0',
  filename: 'harbour.mp4',
  offset: 16_777_216,
  length: 48_000_000,
  sending: true,
  created_by: 'Ana Lima',
  created_at: '2026-11-21T09:12:00.000Z',
  expires_at: '2026-11-22T09:30:00.000Z',
};

const openUpload = z
  .object({
    id: identifier,
    filename: z.string().describe('As its client named it; `untitled` where it named none.'),
    offset: upload.shape.offset,
    length,
    sending: z.boolean().describe('A request sends to it at this moment.'),
    created_by: z
      .string()
      .nullable()
      .describe('The name of the person who began it in the dashboard; null: a script with a key.'),
    created_at: timestamp,
    expires_at: upload.shape.expires_at,
  })
  .meta({ id: 'OpenUpload', examples: [exampleOpen] });
export type OpenUpload = z.output<typeof openUpload>;

/** Bytes in a header field. */
const bytes = (least: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number of bytes')
    .transform(Number)
    .pipe(z.number().int().min(least, `must be at least ${least}`));

const tusResumable = z
  .string()
  .describe('The version of the protocol: `1.0.0`.')
  .meta({ examples: [tus.version] });

const creationHeaders = z.object({
  'Tus-Resumable': tusResumable,
  'Upload-Length': bytes(1).describe('Bytes of the whole file.'),
  'Upload-Metadata': z
    .string()
    .max(4096, 'must have at most 4096 characters')
    .optional()
    .describe(
      'Pairs of a key and a value in base64, separated by commas: `filename`, `creator_id`, `category_id`, `collection_id`, `tags` and `sha256`, as an ordinary upload has them. With `sha256` nothing needs to be sent of a file that is in the workspace already.',
    ),
});

const partHeaders = z.object({
  'Tus-Resumable': tusResumable,
  'Upload-Offset': bytes(0).describe('Bytes before those of this request.'),
  'Upload-Checksum': z
    .string()
    .regex(/^[a-z0-9]+ [A-Za-z0-9+/]+={0,2}$/, 'must be an algorithm and a checksum in base64')
    .optional()
    .describe(
      '`sha256` or `sha1`, a space, and the checksum of this body in base64. A body that differs is refused whole.',
    ),
});

const shared = { tag: 'Uploads', access: 'key' } as const;

/** Resumable uploads, by the tus protocol 1.0. */
export const uploadOperations = {
  listUploads: {
    ...shared,
    method: 'GET',
    path: '/uploads',
    summary: 'List the open uploads of the workspace.',
    description: 'Those that more can arrive of: their whole lengths count for storage and items. `DELETE` ends one.',
    query: z.object(pageParameters),
    responses: { 200: 'The uploads of this page, the newest first.' },
    data: z.array(openUpload),
    meta: pageMeta
      .extend({ storage_bytes: z.int().min(0).describe('Bytes of all open uploads, those that are to arrive too.') })
      .meta({
        id: 'OpenUploadsMeta',
        examples: [{ total: 1, page: 1, per_page: 20, total_pages: 1, has_more: false, storage_bytes: 48_000_000 }],
      }),
    errors: [],
  },
  createUpload: {
    ...shared,
    method: 'POST',
    path: '/uploads',
    summary: 'Begin an upload that can resume.',
    description: `For large files and connections that break: the [tus protocol](https://tus.io/protocols/resumable-upload) 1.0 with \`creation\`, \`expiration\`, \`termination\` and \`checksum\`. What the file may not be is said at once: its length, its labels, the quota, of which the whole length is reserved. \`OPTIONS\` tells what is supported, without a key. A workspace can have ${maxOpenUploads} open uploads. Repeated with the same \`Idempotency-Key\`, after its answer was lost, it gives the same upload as it is by then; one that was discarded, refused or has expired begins again.`,
    headers: creationHeaders,
    idempotent: true,
    responses: {
      201: 'Begun. `Location` is where to send parts to. With `media_id` the item is there already, and nothing is to be sent.',
    },
    status: 201,
    responseHeaders: ['Tus-Resumable', 'Upload-Expires'],
    data: upload,
    errors: ['unsupported_tus_version', 'quota_exceeded'],
  },
  getUpload: {
    ...shared,
    method: 'GET',
    path: '/uploads/:id',
    summary: 'Get the state of an upload.',
    description:
      'Also for 24 hours after its end: it names the item. `HEAD`, as tus has it, says the same in headers, and ends a request that still sends to it, so that its offset is the last word.',
    params: idParams,
    responses: { 200: 'The upload.' },
    responseHeaders: ['Tus-Resumable', 'Upload-Offset', 'Upload-Length', 'Upload-Expires', 'Content-Location'],
    data: upload,
    errors: ['not_found'],
  },
  sendPart: {
    ...shared,
    method: 'PATCH',
    path: '/uploads/:id',
    summary: 'Send the next bytes of an upload.',
    description:
      'What arrives is kept also when the connection breaks, but for requests with `Upload-Checksum`. All that the answer acknowledges is on the disk. The last bytes make the file an item, exactly as `POST /media/upload` does; they can be refused for the same reasons. A second request for one upload ends the first.',
    params: idParams,
    headers: partHeaders,
    bytes: tus.partType,
    responses: { 204: 'Stored durably up to `Upload-Offset`. After the last bytes `Content-Location` names the item.' },
    status: 204,
    empty: true,
    responseHeaders: ['Tus-Resumable', 'Upload-Offset', 'Upload-Expires', 'Content-Location'],
    data: z.undefined(),
    errors: [
      'unsupported_tus_version',
      'not_found',
      'offset_mismatch',
      'upload_discarded',
      'checksum_mismatch',
      'quota_exceeded',
    ],
  },
  deleteUpload: {
    ...shared,
    method: 'DELETE',
    path: '/uploads/:id',
    summary: 'Give up an upload.',
    description:
      'Any key of the workspace may discard any upload. What it reserved is free at once, a request that still sends to it ends, and its ' +
      'client is told for 24 hours: 410 `upload_discarded`. The item of an upload that has ended stays.',
    params: idParams,
    responses: { 204: 'Removed.' },
    status: 204,
    empty: true,
    responseHeaders: ['Tus-Resumable'],
    data: z.undefined(),
    errors: ['not_found', 'upload_discarded'],
  },
} as const satisfies Record<string, Operation>;
