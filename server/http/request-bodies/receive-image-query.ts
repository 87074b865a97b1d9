import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type ImageSearchBody, imageSearchBody, imageSearchFields } from '../../../contract/search.ts';
import { ApiError, validationError } from '../../errors/api-error.ts';
import type { ImageSource } from '../../search/query-images/embed-image-query.ts';
import { maxQueryImageBytes } from '../../search/query-images/fetch-image.ts';
import { validate } from '../operations/serve-operation.ts';
import { createJsonReader, type ReadJson } from './read-json.ts';
import { receiveForm } from './receive-form.ts';
import { receiveJsonImage } from './receive-json-image.ts';

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** The parameters that the body of an image search carries, and where the image is. */
type ImageQuery = { parameters: Given<z.output<typeof imageSearchFields>>; source: ImageSource };

const tooLargeError = () => new ApiError('payload_too_large', 'A query image may hold at most 32 MiB.');
const limit = { bytes: maxQueryImageBytes, tooLargeError };

/** Lets JSON bodies of this scope reach their handlers as streams. Returns what reads JSON for `receiveImageQuery`. */
export function streamJsonBodies(scope: FastifyInstance): ReadJson {
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', (_request, payload, done) => done(null, payload));
  return createJsonReader(scope);
}

/**
 * Reads the body of an image search, a form or JSON. An image in it goes to disk as it arrives.
 * @param folder an empty folder for the image
 */
export async function receiveImageQuery(
  request: FastifyRequest,
  folder: string,
  signal: AbortSignal,
  readJson: ReadJson,
): Promise<ImageQuery> {
  if (request.isMultipart()) {
    const { file, fields } = await receiveForm(request, folder, limit, signal);
    return {
      parameters: withoutUndefined(validate(imageSearchFields, fields, 'body')),
      source: { kind: 'file', path: file.path },
    };
  }
  if (request.body === undefined) {
    const message =
      'is missing: send a form with the image in its part `file`, or JSON with `image`, `url` or `media_id`';
    throw validationError([{ path: 'body', message }]);
  }
  const { text, file, checkImage } = await receiveJsonImage(request, folder, limit, signal);
  const body = validate(imageSearchBody, (await readJson(request, Buffer.from(text))) ?? {}, 'body');
  checkImage();
  const { image: _image, url: _url, media_id: _media, at: _at, chunk_id: _chunk, ...parameters } = body;
  return { parameters: withoutUndefined(parameters), source: toImageSource(body, file) };
}

function toImageSource({ image, url, media_id, at, chunk_id }: ImageSearchBody, file: string): ImageSource {
  if (image !== undefined) return { kind: 'image', path: file };
  if (url !== undefined) return { kind: 'url', url, path: file };
  return { kind: 'media', mediaId: media_id ?? '', at, chunkId: chunk_id };
}

const withoutUndefined = <Fields extends object>(fields: Fields): Given<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
