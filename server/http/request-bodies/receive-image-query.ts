import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { z } from 'zod';
import type { operations } from '../../../contract/operations.ts';
import { dataUrlPrefix, type ImageSearchBody, imageSearchFields } from '../../../contract/search.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { ImageSource } from '../../search/query-images/embed-image-query.ts';
import { maxQueryImageBytes } from '../../search/query-images/fetch-image.ts';
import { type OperationInput, validate } from '../operations/serve-operation.ts';
import { receiveForm } from './receive-form.ts';

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** The parameters that the body of an image search carries, and where the image is. */
type ImageQuery = { parameters: Given<z.output<typeof imageSearchFields>>; source: ImageSource };

const limit = {
  bytes: maxQueryImageBytes,
  tooLargeError: () => new ApiError('payload_too_large', 'A query image may hold at most 32 MiB.'),
};

/**
 * Reads the body of an image search, a form or JSON.
 * @param folder an empty folder for the image
 */
export async function receiveImageQuery(
  { body, request, signal }: OperationInput<typeof operations.searchMediaByImage>,
  folder: string,
): Promise<ImageQuery> {
  if (!body) {
    const { file, fields } = await receiveForm(request, folder, limit, signal);
    return {
      parameters: withoutUndefined(validate(imageSearchFields, fields, 'body')),
      source: { kind: 'file', path: file.path },
    };
  }
  const { image: _image, url: _url, media_id: _media, at: _at, chunk_id: _chunk, ...parameters } = body;
  return { parameters: withoutUndefined(parameters), source: await toImageSource(body, path.join(folder, 'file')) };
}

async function toImageSource(
  { image, url, media_id, at, chunk_id }: ImageSearchBody,
  file: string,
): Promise<ImageSource> {
  if (url !== undefined) return { kind: 'url', url, path: file };
  if (image === undefined) return { kind: 'media', mediaId: media_id ?? '', at, chunkId: chunk_id };
  await writeFile(file, image.replace(dataUrlPrefix, ''), 'base64');
  return { kind: 'image', path: file };
}

const withoutUndefined = <Fields extends object>(fields: Fields): Given<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
