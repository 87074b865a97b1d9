import { maxAnimationSeconds } from '@media-search/media/media-limits';
import type { ExportBody, ExportFormat, ExportMoment } from '../../../contract/exports.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { readPathMappings } from '../../catalog/sources/sources.ts';
import { ApiError, notFoundError, validationError } from '../../errors/api-error.ts';
import type { ExportRequest } from './exports.ts';
import { clipName, endingOfClip, toSafeName } from './file-names.ts';
import { findMoments, spanOf } from './moments.ts';
import { isAnimated } from './produce-file.ts';

/**
 * Checks what a request asks for against the catalog and names the file. Throws `not_found` when none of its items is there,
 * `not_ready`, `validation_error`, also for a machine that no path mapping is for.
 */
export async function planExport(
  db: Catalog,
  workspaceId: string,
  { format, moments: parts, media_ids: ids, title, paths }: ExportBody,
): Promise<Omit<ExportRequest, 'baseUrl'>> {
  const moments = parts ?? (ids ?? []).map((id): ExportMoment => ({ media_id: id }));
  await checkEmptyMoments(db, workspaceId, moments);
  if (paths !== undefined) await checkMachine(db, workspaceId, paths);
  const first = await findFirst(db, workspaceId, moments);
  if (!first) throw notFoundError('media item');
  const named = title ?? (format === 'zip' ? 'media' : 'moments');
  const isList = ['csv', 'edl', 'fcpxml', 'zip'].includes(format);
  const filename = isList ? `${named}.${format}` : checkClip(format, first.moment, first.media);
  return { workspaceId, format, moments, title: named, machine: paths ?? null, filename: toSafeName(filename) };
}

/** Throws `validation_error` for a moment of no length of a video. Hits of photographs have one, and the contract cannot tell which is which. */
async function checkEmptyMoments(db: Catalog, workspaceId: string, moments: ExportMoment[]): Promise<void> {
  const isEmpty = ({ end }: ExportMoment) => end === 0;
  for await (const { media } of findMoments(db, workspaceId, moments.filter(isEmpty))) {
    if (!media || media.type === 'image') continue;
    const place = moments.findIndex((moment) => isEmpty(moment) && moment.media_id === media.id);
    throw validationError([{ path: `body.moments.${place}.end`, message: 'must be after `start`' }]);
  }
}

async function checkMachine(db: Catalog, workspaceId: string, machine: string): Promise<void> {
  const names = [...new Set((await readPathMappings(db, workspaceId)).map(({ name }) => name))];
  if (names.includes(machine)) return;
  const known = names.length === 0 ? 'there are none' : `there are: ${names.join(', ')}`;
  throw validationError([{ path: 'body.paths', message: `must be a machine of the path mappings; ${known}` }]);
}

async function findFirst(db: Catalog, workspaceId: string, moments: ExportMoment[]) {
  for await (const { moment, media } of findMoments(db, workspaceId, moments)) if (media) return { moment, media };
  return undefined;
}

const endings: Partial<Record<ExportFormat, string>> = { jpeg: 'jpg' };

/** The name of the file of a clip or still. */
function checkClip(format: ExportFormat, moment: ExportMoment, media: MediaRow): string {
  if (media.status !== 'complete') {
    throw new ApiError(
      'not_ready',
      `Only an item in status \`complete\` can be exported; this one is \`${media.status}\`.`,
    );
  }
  const ending = format === 'mp4' ? endingOfClip(media.type) : (endings[format] ?? format);
  const isStill = format === 'jpeg' || format === 'png' || (format === 'webp' && !isAnimated(media, moment));
  const wrong = (message: string, field: string) => validationError([{ path: `body.moments.0.${field}`, message }]);
  if (media.type === 'image' && !isStill) throw wrong('must name a video for this format', 'media_id');
  if (media.type === 'audio' && format !== 'mp4') {
    throw wrong(
      'must not name a recording for this format, because it has no pictures; `mp4` gives its sound',
      'media_id',
    );
  }
  // A player that stands at the end shows the last frame.
  const last = { start: media.duration ?? 0, end: media.duration ?? 0 };
  const span = spanOf(moment, media.duration ?? 0) ?? (isStill ? last : undefined);
  if (!span) throw wrong(`must be before the end of the video, ${media.duration} seconds`, 'start');
  if (!isStill && format !== 'mp4' && span.end - span.start > maxAnimationSeconds) {
    throw wrong(`must be at most ${maxAnimationSeconds} seconds after \`start\` for this format`, 'end');
  }
  if (moment.name !== undefined) return `${moment.name}.${ending}`;
  if (media.type === 'image') return `${media.filename.replace(/\.[^.]*$/, '')}.${ending}`;
  return clipName(media.filename, isStill ? { start: span.start } : span, ending);
}
