import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CutList } from '@media-search/media/cut-list/cut-list';
import { writeEdl } from '@media-search/media/cut-list/write-edl';
import { writeFcpxml } from '@media-search/media/cut-list/write-fcpxml';
import type { EditingFacts } from '@media-search/media/describe-editing';
import type { ExportFormat, ExportMoment } from '../../../contract/exports.ts';
import { type AssetStore, original } from '../../assets/asset-store.ts';
import { checkLength } from '../../assets/check-original.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { ExportPool } from './export-pool.ts';
import { createLocator } from './locate-originals.ts';
import { findMoments, spanOf } from './moments.ts';
import { type TableRow, writeCsv } from './write-csv.ts';

export type FileSources = { db: Catalog; assets: AssetStore; pool: ExportPool };

export type FileRequest = {
  workspaceId: string;
  format: Exclude<ExportFormat, 'zip'>;
  moments: ExportMoment[];
  title: string;
  /** The machine whose path mappings lists name files by; null: they have the paths of the service. */
  machine: string | null;
  /** Of the service, for links to the pages that play the moments. */
  baseUrl: string;
};

export type ProducedFile = {
  file: string;
  size: number;
  lossless: boolean | null;
  /** Of a clip, seconds. */
  span: { start: number; end: number } | null;
};

type Progress = { signal: AbortSignal; progressFile: string; onProgress: (fraction: number) => void };

/**
 * Makes the file of an export in a folder. Throws `ApiError` for what can be said to people, an `UnreadableMediaError` by its name, errors
 * of the machine, and the signal's reason when aborted.
 */
export async function produceFile(
  sources: FileSources,
  request: FileRequest,
  folder: string,
  progress: Progress,
): Promise<ProducedFile> {
  const file = path.join(folder, `export.${request.format}`);
  const { format } = request;
  const made = { lossless: null, span: null };
  if (format === 'csv') await writeFile(file, await writeCsv(listRows(sources, request)));
  else if (format === 'edl') await writeFile(file, writeEdl(await listCuts(sources, request, progress)));
  else if (format === 'fcpxml') await writeFile(file, writeFcpxml(await listCuts(sources, request, progress)));
  else Object.assign(made, await makeClip(sources, { ...request, format }, file, progress));
  return { file, size: (await stat(file)).size, ...made };
}

async function makeClip(
  { db, assets, pool }: FileSources,
  { workspaceId, format, moments }: FileRequest & { format: 'mp4' | 'gif' | 'webp' | 'jpeg' | 'png' },
  destination: string,
  { signal, progressFile }: Progress,
): Promise<Partial<ProducedFile>> {
  for await (const { moment, media } of findMoments(db, workspaceId, moments)) {
    if (!media) break;
    await checkOriginal(assets, media);
    const span = spanOf(moment, media.duration ?? 0) ?? { start: 0, end: 0 };
    return assets.withLocalCopy(original(media), async (source) => {
      if (format === 'mp4') {
        const task = { kind: 'clip', source, span, destination, progressFile } as const;
        const { lossless, start, end } = await pool.run(workspaceId, task, signal);
        return { lossless, span: { start, end } };
      }
      if (format === 'gif' || (format === 'webp' && isAnimated(media, moment))) {
        const task = { kind: 'animation', source, span, format, destination, progressFile } as const;
        return { span: await pool.run(workspaceId, task, signal) };
      }
      const { type, mime_type: mimeType } = media;
      const at = Math.min(moment.start ?? 0, Math.max(0, (media.duration ?? 0) - 0.002));
      const task = { kind: 'still', source: { file: source, type, mimeType }, at, format, destination } as const;
      await pool.run(workspaceId, task, signal);
      return {};
    });
  }
  throw new ApiError('not_found', 'There is no such media item.');
}

/** Whether a WebP of a moment moves. */
export const isAnimated = ({ type }: MediaRow, { end }: ExportMoment): boolean => type === 'video' && end !== undefined;

async function checkOriginal(assets: AssetStore, media: MediaRow): Promise<void> {
  const problem = await checkLength(assets, media);
  if (!problem) return;
  const what = problem === 'original_missing' ? 'is no longer on the server' : 'is damaged';
  throw new ApiError(problem, `The original of this item ${what}. Upload the same file again to put it back.`);
}

/** The page that plays a moment. */
const linkTo = (baseUrl: string, mediaId: string, start: number | null): string =>
  `${baseUrl}/media/${mediaId}${start === null ? '' : `?t=${Math.round(start * 1000) / 1000}`}`;

async function* listRows(
  { db }: FileSources,
  { workspaceId, moments, baseUrl, machine }: FileRequest,
): AsyncGenerator<TableRow> {
  const locate = await createLocator(db, workspaceId, machine);
  for await (const { moment, media } of findMoments(db, workspaceId, moments)) {
    if (!media) continue;
    const span = media.type === 'image' ? undefined : spanOf(moment, media.duration ?? 0);
    yield {
      name: moment.name ?? media.filename,
      file: locate(media) ?? media.filename,
      mediaId: media.id,
      type: media.type,
      start: span?.start ?? null,
      end: span?.end ?? null,
      score: moment.score ?? null,
      link: linkTo(baseUrl, media.id, span?.start ?? null),
    };
  }
}

/** Why an item of another type is in no cut list. */
const notFilms: Partial<Record<MediaRow['type'], string>> = { image: 'it is a photo', audio: 'it has no pictures' };

async function listCuts(
  { db, assets, pool }: FileSources,
  { workspaceId, moments, title, machine }: FileRequest,
  { signal, onProgress }: Progress,
): Promise<CutList> {
  const list: CutList = { title, entries: [], omitted: [] };
  const locate = await createLocator(db, workspaceId, machine);
  const known = new Map<string, Promise<EditingFacts>>();
  const describe = (media: MediaRow) =>
    assets.withLocalCopy(original(media), (source) => pool.run(workspaceId, { kind: 'describe', source }, signal));
  let done = 0;
  for await (const { moment, media } of findMoments(db, workspaceId, moments)) {
    onProgress(done / moments.length);
    done += 1;
    const name = moment.name ?? media?.filename ?? moment.media_id;
    const span = media && spanOf(moment, media.duration ?? 0);
    if (!media || media.type !== 'video' || !span) {
      const reason = !media ? 'it is no longer in the library' : (notFilms[media.type] ?? 'it has ended by then');
      list.omitted.push(`${name}: ${reason}.`);
      continue;
    }
    const facts = known.get(media.id) ?? describe(media);
    known.set(media.id, facts);
    const found = await facts.catch((error: unknown) =>
      error instanceof ApiError ? error.message : 'its original cannot be read.',
    );
    signal.throwIfAborted();
    if (typeof found === 'string') {
      list.omitted.push(`${name}: ${found}`);
      continue;
    }
    const { id: mediaId, filename, duration, width, height } = media;
    list.entries.push({
      mediaId,
      filename,
      location: locate(media),
      name,
      ...span,
      duration: duration ?? span.end,
      width: width ?? 1920,
      height: height ?? 1080,
      facts: found,
    });
  }
  return list;
}
