import { fields } from '../../contract/fields.ts';
import type { SearchMediaResponse } from '../typescript/index.ts';

type Condition = NonNullable<SearchMediaResponse['meta']['conditions']>[number];

/** What people call what a condition is about. */
const nameOf = ({ field }: Condition): string =>
  field === 'said' || field === 'shown' ? field : fields[field].label.toLowerCase();

const list = (conditions: Condition[]): string =>
  conditions.map((each) => `${nameOf(each)} (“${each.text}”)`).join(', ');

/** What of the words of a search was taken for filters, and what is preferred; null: nothing. */
export function describeConditions(conditions: Condition[] | undefined): string | null {
  const certain = conditions?.filter((each) => each.certain) ?? [];
  const preferred = conditions?.filter((each) => !each.certain) ?? [];
  const sentences = [
    ...(certain.length > 0 ? [`Filtered by ${list(certain)}.`] : []),
    ...(preferred.length > 0 ? [`Preferred by ${list(preferred)}.`] : []),
  ];
  return sentences.length > 0 ? sentences.join(' ') : null;
}
