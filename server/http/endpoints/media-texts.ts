import path from 'node:path';
import { Readable } from 'node:stream';
import { srt } from '@media-search/media/captions/write-srt';
import { vtt } from '@media-search/media/captions/write-vtt';
import type { StillSource } from '@media-search/media/write-still';
import type { FastifyInstance } from 'fastify';
import { operations } from '../../../contract/operations.ts';
import { isUncertain, type TextBox } from '../../../contract/texts.ts';
import { type Asset, glance, rendition } from '../../assets/asset-store.ts';
import { listChunks } from '../../catalog/media/chunks.ts';
import { findMedia, type MediaRow } from '../../catalog/media/media-items.ts';
import { listCaptionTracks } from '../../catalog/texts/caption-tracks.ts';
import { joinTexts, listSegments } from '../../catalog/texts/text-segments.ts';
import { findCaptionTrack, writeCaptions } from '../../delivery/captions/captions.ts';
import { toSafeName } from '../../delivery/export/file-names.ts';
import { ApiError, notFoundError, validationError } from '../../errors/api-error.ts';
import { CrashError } from '../../search/query-workers/task-errors.ts';
import type { Dependencies } from '../dependencies.ts';
import { runInTurn } from '../limits/concurrency-limit.ts';
import { serveOperation, toPageMeta } from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/requests.ts';
import { attachmentNamed, createEtag, matchesEtag } from '../protocol/responses.ts';
import { createPictures } from './pictures.ts';

const formats = { vtt, srt };

/** `GET /media/:id/captions`. */
function serveGetCaptions(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(
    app,
    operations.getCaptions,
    async ({ workspaceId, params, query, request, reply }) => {
      const media = await findMedia(db, workspaceId, params.id);
      if (!media) throw notFoundError('media item');
      const track = await findCaptionTrack(db, media, query);
      if (!track) {
        throw new ApiError(
          'not_found',
          'This item has no such captions. `GET /media/{id}/captions/tracks` lists what it has.',
        );
      }
      const format = formats[query.format];
      const language = track.language === null ? '' : `.${track.language}`;
      const name = `${path.parse(media.filename).name}${language}.${query.format}`;
      void reply
        .type(format.mimeType)
        .header('Cache-Control', 'private, no-store')
        .header('Content-Disposition', attachmentNamed(toSafeName(name)));
      const pieces = writeCaptions(db, media, track, format, media.filename, (work) => runInTurn(request, work));
      return { data: Readable.from(pieces) };
    },
    // Fastify would cut off what is still being sent then: pieces wait for their turns, and for the client.
    { timeoutSeconds: null },
  );
}

/** `GET /media/:id/frame`. */
function serveGetFrame(app: FastifyInstance, { db, assets, queryPool }: Dependencies): void {
  serveOperation(
    app,
    operations.getFrame,
    async ({ workspaceId, params, query: { at, width }, request, reply, signal }) => {
      const media = await findMedia(db, workspaceId, params.id);
      if (!media) throw notFoundError('media item');
      checkMoment(media, at);
      const time = media.type === 'image' ? 0 : at;
      // Renditions can be made again, by a later version that makes them differently.
      const tag = createEtag([media.id, media.renditions_token, time, width].join(' '));
      void reply.type('image/jpeg').header('ETag', tag).header('Cache-Control', 'private, no-cache');
      if (matchesEtag(request.headers['if-none-match'], tag)) return { status: 304, data: Buffer.alloc(0) };
      const read = async (file: string) => {
        const task = { kind: 'frame', source: toSource(file, media), at: time, width } as const;
        return Buffer.from(await queryPool.run(workspaceId, task, signal), 'base64');
      };
      return {
        data: await assets.withLocalCopy(picturesOf(media), read, { signal }).catch((error: unknown) => {
          throw toFailure(error);
        }),
      };
    },
    { kind: 'heavy' },
  );
}

/** Throws `not_ready`, and `validation_error` for a moment after the end. */
function checkMoment({ type, status, duration }: MediaRow, at: number): void {
  if (status !== 'complete') {
    throw new ApiError('not_ready', `This item is \`${status}\`; only a complete one has frames to show.`);
  }
  if (type !== 'image' && at > (duration ?? 0)) {
    throw validationError([{ path: 'query.at', message: `must be at most ${duration}, where the video ends` }]);
  }
}

/** The file that a browser plays or shows: it seeks well. Of a recording the picture that stands for it. */
const picturesOf = (media: MediaRow): Asset =>
  media.type === 'audio' && media.poster_file !== null ? rendition(media, media.poster_file) : glance(media);

const toSource = (file: string, { type, rendition_file, mime_type }: MediaRow): StillSource =>
  type === 'audio'
    ? { file, type: 'image', mimeType: 'image/webp' }
    : { file, type, mimeType: rendition_file && type === 'image' ? 'image/webp' : mime_type };

/** Errors of a worker come as plain errors with the name of theirs. */
function toFailure(error: unknown): unknown {
  if (error instanceof Error && error.name === 'UnreadableMediaError') {
    return new ApiError('unreadable_media', error.message);
  }
  if (error instanceof CrashError) {
    return new ApiError('unreadable_media', 'This frame cannot be decoded: the decoder crashed.');
  }
  return error;
}

/** The operations on texts, captions, chunks and frames of an item. */
export function serveMediaTexts(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, publicUrl, secrets } = dependencies;
  serveGetCaptions(app, dependencies);
  serveGetFrame(app, dependencies);

  serveOperation(app, operations.listCaptionTracks, async ({ workspaceId, params }) => {
    const media = await findMedia(db, workspaceId, params.id);
    if (!media) throw notFoundError('media item');
    return { data: await listCaptionTracks(db, workspaceId, media.id) };
  });

  serveOperation(app, operations.listChunks, async ({ workspaceId, params, query, request }) => {
    const media = await findMedia(db, workspaceId, params.id);
    if (!media) throw notFoundError('media item');
    const rows = await listChunks(db, workspaceId, media.id, query);
    const pictures = createPictures(secrets, getBaseUrl(request, publicUrl));
    const data = rows.map(({ id, start_time, end_time, thumbnail_file, segments }) => ({
      id,
      start: start_time,
      end: end_time,
      thumbnail: pictures.urlOf(media, thumbnail_file),
      thumbnails: pictures.sizesOf(media, thumbnail_file),
      text: segments.length === 0 ? null : joinTexts(segments),
    }));
    return { data, meta: toPageMeta(query, media.chunk_count) };
  });

  serveOperation(app, operations.listTexts, async ({ workspaceId, params, query }) => {
    const media = await findMedia(db, workspaceId, params.id);
    if (!media) throw notFoundError('media item');
    const { rows, total } = await listSegments(db, workspaceId, media.id, query);
    const data = rows.map(({ number, source, language, start_time, end_time, text, box, confidence }) => ({
      // The number would tell how many texts other workspaces have.
      id: secrets.sign(`text segment ${number}`),
      source,
      language,
      start: start_time,
      end: end_time,
      text,
      box: box === null ? null : (JSON.parse(box) as TextBox),
      confidence,
      uncertain: isUncertain({ source, confidence }),
    }));
    return { data, meta: toPageMeta(query, total) };
  });
}
