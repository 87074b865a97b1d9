import type { Creator } from '../../../../contract/creators.ts';
import type { LabelRow } from '../../../catalog/labels/labels.ts';

/** A creator as the API shows it. */
export const toCreator = ({ id, name, media_count, created_at }: LabelRow): Creator => ({
  id,
  name,
  media_count,
  created_at,
});
