import { z } from 'zod';
import { CommandError } from '../../failures.ts';

/**
 * What is read of Immich's answers, as the OpenAPI documents of its versions 1.135 to 3.2 have it; see
 * https://api.immich.app. Identifiers become parts of URLs and of names of files, so nothing else passes for one.
 */

const id = z.guid();

export const version = z.object({ major: z.int(), minor: z.int(), patch: z.int() });

export const user = z.object({ id, name: z.string() });

export const albums = z.array(
  z.object({ id, albumName: z.string(), description: z.string().nullish(), createdAt: z.string() }),
);

/** `value` is the whole path of a tag, such as `Travel/Lisbon`. */
export const tags = z.array(z.object({ id, value: z.string() }));

const asset = z.object({
  id,
  ownerId: id,
  originalPath: z.string(),
  originalFileName: z.string(),
  checksum: z.base64(),
  fileCreatedAt: z.string(),
  fileModifiedAt: z.string(),
  localDateTime: z.string(),
  isFavorite: z.boolean(),
  livePhotoVideoId: id.nullish(),
  people: z.array(z.object({ name: z.string(), isHidden: z.boolean() })).nullish(),
  exifInfo: z
    .object({
      description: z.string().nullish(),
      fileSizeInByte: z.number().nullish(),
      rating: z.number().nullish(),
      timeZone: z.string().nullish(),
    })
    .nullish(),
});
export type AssetAnswer = z.output<typeof asset>;

/** A page of `POST /search/metadata`. */
export const assetPage = z.object({ assets: z.object({ items: z.array(asset), nextPage: z.string().nullable() }) });

/**
 * @param what the answer is of, for the message
 * @throws CommandError for an answer of another form
 */
export function read<Schema extends z.ZodType>(schema: Schema, answer: unknown, what: string): z.output<Schema> {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  const [{ path, message } = { path: [], message: '' }] = result.error.issues;
  throw new CommandError(`Immich describes ${what} in another form than expected (${path.join('.')}: ${message}).`);
}
