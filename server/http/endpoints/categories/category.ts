import type { Category } from '../../../../contract/categories.ts';
import type { LabelRow } from '../../../catalog/labels/labels.ts';

/** A category as the API shows it. */
export const toCategory = ({ id, name, description, media_count, created_at }: LabelRow): Category => ({
  id,
  name,
  description: description ?? '',
  media_count,
  created_at,
});
