import { z } from 'zod';

/** Fields that several tools take. */

/** The identifier of an item. Its form is looked at, because it becomes a part of a path, in which "." and ".." lead elsewhere. */
export const mediaId = z
  .string()
  .regex(/^[\w-]{1,100}$/, 'must be an identifier, as search_moments, highlights and list_media give it');

/** The name of a creator, category, collection or tag. */
export const labelName = z.string().trim().min(1).max(120);

/** The address of a file on the web. */
export const webAddress = z.url({ protocol: /^https?$/ }).max(2000);
