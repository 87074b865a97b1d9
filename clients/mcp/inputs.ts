import { z } from 'zod';

/** Fields that several tools take. */

/** The identifier of an item. */
export const mediaId = z.string().min(1).max(100);

/** The name of a creator, category, collection or tag. */
export const labelName = z.string().trim().min(1).max(120);

/** The address of a file on the web. */
export const webAddress = z.url({ protocol: /^https?$/ }).max(2000);
