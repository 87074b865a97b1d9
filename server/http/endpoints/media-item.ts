import { previewSize } from '@media-search/media/picture-sizes';
import { waveformFile } from '@media-search/media/write-waveform';
import type { MediaItem } from '../../../contract/media.ts';
import type { TextExtraction } from '../../../contract/texts.ts';
import { downloadAsset, signAssetUrl } from '../../assets/asset-urls.ts';
import type { OriginalProblem } from '../../assets/check-original.ts';
import { countComments } from '../../catalog/comments/comments.ts';
import { readReviewers, toReview } from '../../catalog/comments/review.ts';
import { type GroupsOfItem, readGroupsOfItems } from '../../catalog/labels/groups-of-items.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import { readStacks, toStack } from '../../catalog/media/stacks.ts';
import { readSourcePlaces } from '../../catalog/sources/sources.ts';
import type { ExtractionSource } from '../../catalog/tables/texts.ts';
import { type ExtractionRow, readExtractions } from '../../catalog/texts/text-extractions.ts';
import type { Secrets } from '../../platform/crypto/secrets.ts';
import { playedAsset, toItemSource } from '../../sources/show-source.ts';
import type { Dependencies } from '../dependencies.ts';
import { createPictures, sizeOf } from './pictures.ts';

/** The problem of an original, with a message for the uploader. */
export const problemMessages: Record<OriginalProblem, string> = {
  original_missing: 'The original of this item is no longer on the server. Upload the same file again to put it back.',
  original_damaged:
    'The original of this item is damaged: it is not as it was uploaded. Upload the same file again to replace it.',
};

/** A lost or damaged original comes before warnings about the uploaded file. */
function describeWarning(row: MediaRow): MediaItem['warning'] {
  const { original_problem: problem, warning_code: code } = row;
  if (problem) return { code: problem, message: problemMessages[problem] };
  return code === null ? null : { code, message: row.warning_message ?? '' };
}

/** What a file says about its recording; null when it says nothing. */
function toCapture(row: MediaRow): MediaItem['capture'] {
  const { taken_text: text, taken_source: source, taken_zone: zone, camera, latitude, longitude, place } = row;
  const said = [text, source, zone, camera, latitude, longitude, place];
  return said.every((value) => value === null) ? null : { text, source, zone, camera, latitude, longitude, place };
}

/** How far the recognition of one source is; what waits for a service that reads it is off. */
function describeExtraction(
  extraction: ExtractionRow | undefined,
  isRecognised: boolean,
  { status, duration }: MediaRow,
): TextExtraction {
  const unread = { language: null, model: null, message: null };
  if (status === 'error' && isRecognised) {
    return { ...unread, state: 'none', progress: null, message: 'This item could not be indexed.' };
  }
  if (!extraction || (extraction.state === 'pending' && !isRecognised)) {
    return { ...unread, state: isRecognised ? 'pending' : 'off', progress: isRecognised ? 0 : null };
  }
  const { state, position, language, model, message } = extraction;
  const progress = duration ? Math.min(1, position / duration) : 0;
  return { state, progress: state === 'pending' ? progress : null, language, model, message };
}

/** What the description of items is made from. */
type Reading = Pick<Dependencies, 'db' | 'secrets' | 'recognised'>;

/** Stored items of one workspace as the API shows them, with signed URLs. What they belong to and what was read of them comes from the catalog. */
export async function toMediaItems(reading: Reading, rows: MediaRow[], baseUrl: string): Promise<MediaItem[]> {
  const { db, secrets, recognised } = reading;
  const ids = rows.map(({ id }) => id);
  const workspaceId = rows[0]?.workspace_id ?? '';
  const groups = await readGroupsOfItems(db, workspaceId, ids);
  const extractions = await readExtractions(db, workspaceId, ids);
  const comments = await countComments(db, workspaceId, ids);
  const reviewers = await readReviewers(db, rows);
  const places = await readSourcePlaces(db, workspaceId);
  const stacks = await readStacks(db, workspaceId, rows);
  return rows.map((row) => {
    const describe = (source: ExtractionSource) =>
      describeExtraction(extractions.get(row.id)?.[source], recognised.includes(source), row);
    const source = toItemSource(places, row);
    return {
      ...describeItem(row, groups.get(row.id), secrets, baseUrl, source?.offline ?? false),
      source,
      review: toReview(row, reviewers),
      stack: toStack(row, stacks),
      comments: comments.get(row.id) ?? { total: 0, open: 0 },
      ocr: describe('ocr'),
      speech: describe('speech'),
    };
  });
}

/** One of them. */
export async function toMediaItem(reading: Reading, row: MediaRow, baseUrl: string): Promise<MediaItem> {
  const [item] = await toMediaItems(reading, [row], baseUrl);
  return item as MediaItem;
}

/** What is shown of an item before its file. */
function describePictures(
  row: MediaRow,
  secrets: Secrets,
  baseUrl: string,
): Pick<MediaItem, 'thumbnail' | 'thumbnails' | 'preview' | 'waveform'> {
  const { poster_file: poster } = row;
  if (poster === null) return { thumbnail: null, thumbnails: [], preview: null, waveform: null };
  const pictures = createPictures(secrets, baseUrl);
  const size = sizeOf(row);
  const preview = row.type === 'image' && size ? previewSize(size) : null;
  return {
    thumbnail: pictures.urlOf(row, poster),
    thumbnails: pictures.sizesOf(row, poster),
    preview: preview && pictures.show(row, preview),
    waveform: row.type === 'audio' ? pictures.urlOf(row, waveformFile) : null,
  };
}

function describeItem(
  row: MediaRow,
  groups: GroupsOfItem | undefined,
  secrets: Secrets,
  baseUrl: string,
  isOffline: boolean,
): Omit<MediaItem, ExtractionSource | 'review' | 'comments' | 'source' | 'stack'> {
  const urlOf = (asset: string) => signAssetUrl(secrets, baseUrl, row, asset);
  const { status } = row;
  return {
    id: row.id,
    filename: row.filename,
    type: row.type,
    status,
    progress: row.stage === null ? null : { stage: row.stage, fraction: row.fraction ?? 0 },
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    warning: describeWarning(row),
    creator_id: row.creator_id,
    category_id: row.category_id,
    collection_ids: groups?.collection_ids ?? [],
    tag_ids: groups?.tag_ids ?? [],
    rating: row.rating,
    duration: row.duration,
    width: row.width,
    height: row.height,
    size: row.size,
    mime_type: row.mime_type,
    sha256: row.source_id === null ? row.sha256 : null,
    chunk_count: row.chunk_count,
    taken_at: row.taken_at,
    capture: toCapture(row),
    details: row.details === null ? null : (JSON.parse(row.details) as MediaItem['details']),
    url: status === 'complete' ? urlOf(playedAsset(row, isOffline)) : null,
    download_url: urlOf(downloadAsset),
    ...describePictures(row, secrets, baseUrl),
    placeholder: row.placeholder,
    created_at: row.created_at,
    updated_at: row.updated_at,
    indexed_at: row.indexed_at,
  };
}
