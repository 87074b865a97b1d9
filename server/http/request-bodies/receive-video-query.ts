import { type VideoSearchFields, videoSearchFields } from '../../../contract/copies.ts';
import type { operations } from '../../../contract/operations.ts';
import { maxQueryVideoBytes } from '../../../contract/query-video.ts';
import { ApiError, validationError } from '../../errors/api-error.ts';
import type { VideoQuery } from '../../search/reuse/search-by-video.ts';
import { type OperationInput, validate } from '../operations/serve-operation.ts';
import { receiveForm } from './receive-form.ts';

const limit = {
  bytes: maxQueryVideoBytes,
  tooLargeError: () =>
    new ApiError('payload_too_large', `A video to search by may hold at most ${maxQueryVideoBytes / 2 ** 20} MiB.`),
};

const defaultCount = 20;

/**
 * Reads the body of a search by a video, a form or JSON.
 * @param folder an empty folder for the video
 */
export async function receiveVideoQuery(
  { body, request, signal }: Pick<OperationInput<typeof operations.searchMediaByVideo>, 'body' | 'request' | 'signal'>,
  folder: string,
): Promise<VideoQuery & { n: number }> {
  if (body) return { source: { kind: 'media', mediaId: body.media_id }, ...toAsked(body) };
  const { file, fields } = await receiveForm(request, folder, limit, signal);
  const asked = toAsked(validate(videoSearchFields, fields, 'body'));
  return { source: { kind: 'file', path: file.path }, ...asked };
}

function toAsked({ n = defaultCount, start = 0, end = Infinity }: VideoSearchFields) {
  if (end <= start) throw validationError([{ path: 'body.end', message: 'must lie after `start`' }]);
  return { n, span: { start, end } };
}
