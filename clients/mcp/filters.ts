import { z } from 'zod';
import { findLabel, isLabelId, isSameName, type Label, type LabelKind, labelLists } from '../shared/labels.ts';
import { type Client, isNotSupported } from '../typescript/index.ts';
import { ToolError } from './failures.ts';
import { labelName } from './inputs.ts';
import { omitUndefined } from './omit-undefined.ts';
import { cleanName, quote } from './safe-text.ts';

const plurals: Record<LabelKind, string> = {
  creator: 'creators',
  category: 'categories',
  collection: 'collections',
  tag: 'tags',
};

const date = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(?:T.+)?$/, 'must be a date such as 2026-07-14, or a time such as 2026-07-14T19:12:08Z');

/** What tools find items by. */
export const filterFields = {
  type: z.enum(['video', 'image']).optional().describe('Only videos, or only images.'),
  creator: labelName.optional().describe('Only media of this creator, by name.'),
  category: labelName.optional().describe('Only media of this category, by name.'),
  collection: labelName.optional().describe('Only media in this collection, by name.'),
  tag: labelName.optional().describe('Only media with this tag, by name.'),
  taken_after: date.optional().describe('Only what was recorded then or later, such as 2026-07-14.'),
  taken_before: date.optional().describe('Only what was recorded earlier, such as 2026-08-01.'),
};

type Filters = { [Field in keyof typeof filterFields]?: string | undefined };

/** The filters of the API, which are identifiers. Throws a `ToolError` that lists the names there are. */
export async function toApiFilters(client: Client, filters: Filters, signal: AbortSignal) {
  const find = async (label: LabelKind) => {
    const named = filters[label];
    return named === undefined ? undefined : findLabelId(client, label, named, signal);
  };
  const [creator, category, collection, tag] = await Promise.all([
    find('creator'),
    find('category'),
    find('collection'),
    find('tag'),
  ]);
  return omitUndefined({
    type: filters.type as 'video' | 'image' | undefined,
    creator_id: creator,
    category_id: category,
    collection_id: collection,
    tag_id: tag,
    taken_after: filters.taken_after,
    taken_before: filters.taken_before,
  });
}

/** Names in an error. */
const maxNames = 20;

/** An agent knows names as tools write them, without what cannot be seen. */
const isNamed = ({ name }: Label, named: string): boolean =>
  [name, cleanName(name)].some((each) => isSameName(each, named));

/** The identifier of what has a name, case ignored; an identifier stays as it is. */
export async function findLabelId(
  client: Client,
  label: LabelKind,
  named: string,
  signal: AbortSignal,
): Promise<string> {
  if (isLabelId(named)) return named;
  const isMeant = (each: Label) => isNamed(each, named);
  const { similar } = await findLabel(client, label, named, isMeant, signal).catch((error: unknown) => {
    throw isNotSupported(error) ? new ToolError(`This service has no ${plurals[label]}. Leave ${label} out.`) : error;
  });
  const others =
    similar.length > 0 ? similar : (await labelLists[label]({ client, query: { per_page: 100 }, signal })).data;
  const found = others.find(isMeant);
  if (found) return found.id;
  const known = others.slice(0, maxNames).map((each) => quote(cleanName(each.name)));
  const more = others.length > maxNames ? ' and others' : '';
  const what = similar.length > 0 ? 'Similar ones are' : 'There are';
  throw new ToolError(
    `There is no ${label} named ${quote(cleanName(named))}. ` +
      (known.length === 0
        ? `This workspace has no ${plurals[label]}: leave ${label} out.`
        : `${what}: ${known.join(', ')}${more}.`),
  );
}
