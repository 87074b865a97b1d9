import { z } from 'zod';
import type { Operation } from './operation.ts';
import { idParams, identifier, timestamp } from './parameters.ts';

const clipFormats = ['mp4', 'gif', 'webp', 'jpeg', 'png'] as const;
const exportFormat = z.enum([...clipFormats, 'csv', 'edl', 'fcpxml', 'zip']);
export type ExportFormat = z.output<typeof exportFormat>;

const seconds = z.number().min(0).max(1_000_000);

const exportMoment = z
  .object({
    media_id: identifier,
    start: seconds
      .optional()
      .describe('Seconds; the beginning when left out. A photograph is exported whole, whatever its moment says.'),
    end: seconds
      .optional()
      .describe(
        'Seconds; the end of the file when left out. 0, with a `start` of 0, as hits have it: only of a photograph.',
      ),
    name: z.string().max(200).optional().describe('What it shows; the name of the file when left out.'),
    score: z.number().min(0).max(1).optional().describe('Of a hit, for the column of the CSV.'),
  })
  .refine(({ start = 0, end }) => end === undefined || end > start || (start === 0 && end === 0), {
    path: ['end'],
    message: 'must be after `start`',
  });
export type ExportMoment = z.output<typeof exportMoment>;

const isClip = (format: ExportFormat): boolean => clipFormats.some((each) => each === format);

/** Events that a CMX 3600 list may have. */
const maxEdlMoments = 999;

const exportBody = z
  .object({
    format: exportFormat.describe(
      '`mp4`: the exact clip. `gif`, `webp`: animated, at most 15 seconds. `jpeg`, `png`: the frame at `start`, or the photograph; so ' +
        'does `webp` for a photograph or without an `end`. `csv`, `edl` (CMX 3600), `fcpxml` (1.10): a list for editors. ' +
        '`zip`: originals, and clips of the moments that have a `start` or an `end`; what is named twice is in it once.',
    ),
    moments: z.array(exportMoment).min(1).max(5000).optional(),
    media_ids: z.array(identifier).min(1).max(20_000).optional().describe('Whole items, in place of `moments`.'),
    title: z.string().trim().min(1).max(100).optional().describe('Name of the list or archive.'),
    paths: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(100, 'must have at most 100 characters')
      .optional()
      .describe(
        'Name of a machine of `GET /path-mappings`: lists name the files of sources by its paths. Left out: by those of the service. Uploads have file names only.',
      ),
  })
  .superRefine(({ format, moments, media_ids: ids }, context) => {
    const wrong = (message: string, path: string) => context.addIssue({ code: 'custom', message, path: [path] });
    if ((moments === undefined) === (ids === undefined)) wrong('must be given, or `media_ids`', 'moments');
    const count = moments?.length ?? ids?.length ?? 0;
    if (isClip(format) && count > 1) wrong('must be a single one for this format', moments ? 'moments' : 'media_ids');
    if (format === 'edl' && count > maxEdlMoments) wrong(`must be at most ${maxEdlMoments} for this format`, 'moments');
  })
  .meta({
    examples: [
      { format: 'mp4', moments: [{ media_id: '01a1fbe4-6806-793e-a30f-22b8a44e4f85', start: 12.5, end: 17.04 }] },
    ],
  });
export type ExportBody = z.output<typeof exportBody>;

const mediaExport = z
  .object({
    id: identifier,
    format: exportFormat,
    status: z.enum(['processing', 'ready', 'error']),
    progress: z.number().min(0).max(1).describe('Share that is done.'),
    error: z
      .object({ code: z.string(), message: z.string().describe('A sentence for people.') })
      .nullable()
      .describe('Only in status `error`.'),
    filename: z.string(),
    size: z.int().min(0).nullable().describe('Bytes; null while it is processed, and for an archive.'),
    lossless: z
      .boolean()
      .nullable()
      .describe('Of an MP4 that is ready: whether it holds the packets of the original. Otherwise it was encoded.'),
    start: z
      .number()
      .nullable()
      .describe('Where a clip that is ready begins in the original, seconds: a boundary between frames.'),
    end: z.number().nullable().describe('Where it ends.'),
    url: z
      .url()
      .describe(
        'The file. Signed, expiring. A request before the export is ready waits for it; a client that disconnects meanwhile ends it.',
      ),
    expires_at: timestamp.describe('When the file is removed.'),
  })
  .meta({
    id: 'Export',
    examples: [
      {
        id: '01a1fbe4-7002-7d3a-8f10-0d1c5b9e2a77',
        format: 'mp4',
        status: 'ready',
        progress: 1,
        error: null,
        filename: 'harbour 00.00.12.500-00.00.17.040.mp4',
        size: 2_301_411,
        lossless: false,
        start: 12.5,
        end: 17.04,
        url: 'http://127.0.0.1:8080/files/01a1fbe4-6806-793e-a30f-22b8a44e4f80/exports/01a1fbe4-7002-7d3a-8f10-0d1c5b9e2a77?expires=1795284000&signature=Zm9yIGV4YW1wbGU',
        expires_at: '2026-11-21T10:30:00.000Z',
      },
    ],
  });
export type MediaExport = z.output<typeof mediaExport>;

const deletedExport = z
  .object({ id: identifier, deleted: z.literal(true) })
  .meta({ id: 'DeletedExport', examples: [{ id: '01a1fbe4-7002-7d3a-8f10-0d1c5b9e2a77', deleted: true }] });

/** Clips, stills, cut lists and archives to download. */
export const exportOperations = {
  createExport: {
    method: 'POST',
    path: '/exports',
    tag: 'Exports',
    access: 'key',
    summary: 'Export a clip, a still, a cut list or an archive.',
    description:
      'Answers at once; `url` gives the file as soon as it is there. An export without a request for two minutes is given up ' +
      'while it is processed; its file is kept for an hour. Repeated with the same `Idempotency-Key` it gives the same export as it is by then; one that ' +
      'failed or is gone begins again.',
    body: exportBody,
    bodyLimit: { bytes: 2 ** 20, members: 36_000 },
    idempotent: true,
    responses: { 201: 'The export. `Location` names it.' },
    status: 201,
    data: mediaExport,
    errors: ['not_found', 'not_ready'],
  },
  getExport: {
    method: 'GET',
    path: '/exports/:id',
    tag: 'Exports',
    access: 'key',
    summary: 'Get the progress of an export.',
    params: idParams,
    responses: { 200: 'The export.' },
    data: mediaExport,
    errors: ['not_found'],
  },
  deleteExport: {
    method: 'DELETE',
    path: '/exports/:id',
    tag: 'Exports',
    access: 'key',
    summary: 'Cancel an export, or remove its file.',
    params: idParams,
    responses: { 200: 'Cancelled and gone.' },
    data: deletedExport,
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
