import type { Tag } from '../../../../contract/item-groups.ts';
import type { GroupRow } from '../../../catalog/labels/item-groups.ts';

/** A tag as the API shows it. */
export const toTag = ({ id, name, media_count, created_at }: GroupRow): Tag => ({ id, name, media_count, created_at });
