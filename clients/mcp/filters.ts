import { z } from 'zod';
import {
  allFilters,
  type Filter,
  type FilterName,
  type FilterParameters,
  type ItemFilterName,
  itemFilters,
  type NamedFilters,
} from '../../contract/fields.ts';
import { findLabel, isLabelId, isSameName, type Label, type LabelKind, labelLists } from '../shared/labels.ts';
import { omitUndefined } from '../shared/omit-undefined.ts';
import { type Client, isNotSupported } from '../typescript/index.ts';
import { ToolError } from './failures.ts';
import { labelName } from './inputs.ts';
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

/** The schemas of filters, by what people call them. */
type Fields<Names extends FilterName> = {
  [Name in keyof NamedFilters<Names>]-?: z.ZodOptional<z.ZodType<NonNullable<NamedFilters<Names>[Name]>>>;
};

function toSchema({ description, field }: Filter): z.ZodType {
  switch (field.kind) {
    case 'choice':
      return z.enum(Object.keys(field.options)).optional().describe(description);
    case 'time':
      return date.optional().describe(`${description.replace(/\.$/, '')}, such as 2026-07-14.`);
    case 'number':
      // Short: each tool has them, and their names say the rest.
      return z.number().min(field.least).max(field.most).optional().describe(field.unit);
    case 'text':
      return z.string().trim().min(1).max(200).optional().describe(description);
    default:
      return labelName.optional().describe(`${description.replace(/\.$/, '')}, by name.`);
  }
}

const toFields = <Names extends FilterName>(filters: readonly Filter[]): Fields<Names> =>
  Object.fromEntries(filters.map((filter) => [filter.name, toSchema(filter)])) as Fields<Names>;

/** What tools find items by. */
export const filterFields = toFields<ItemFilterName>(itemFilters);

/** The same of the tool that lists items. */
export const listFilterFields = toFields<FilterName>(allFilters);

/** The filters of the API, where labels are identifiers. Throws a `ToolError` that lists the names there are. */
export async function toApiFilters<Names extends FilterName = ItemFilterName>(
  client: Client,
  filters: NamedFilters<Names>,
  signal: AbortSignal,
): Promise<FilterParameters<Names>> {
  const given = filters as Record<string, string | number | undefined>;
  const found = await Promise.all(
    allFilters.map(async ({ parameter, name, field }): Promise<[string, string | number | undefined]> => {
      const value = given[name];
      const isLabel = value !== undefined && (field.kind === 'label' || field.kind === 'labels');
      return [parameter, isLabel ? await findLabelId(client, name as LabelKind, String(value), signal) : value];
    }),
  );
  return omitUndefined(Object.fromEntries(found));
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
