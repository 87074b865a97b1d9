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
  source: 'sources',
};

const date = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(?:T.+)?$/, 'must be a date such as 2026-07-14, or a time such as 2026-07-14T19:12:08Z');

/** The schemas of filters, by what people call them. */
type Fields<Names extends FilterName> = {
  [Name in keyof NamedFilters<Names>]-?: z.ZodOptional<z.ZodType<NonNullable<NamedFilters<Names>[Name]>>>;
};

function toSchema({ field }: Filter): z.ZodOptional {
  switch (field.kind) {
    case 'choice':
      return z.enum(Object.keys(field.options)).optional();
    case 'time':
      return date.optional();
    case 'number':
      return z.number().min(field.least).max(field.most).optional();
    case 'position':
      return z.string().optional();
    case 'text':
      return z.string().trim().min(1).max(200).optional();
    default:
      return labelName.optional();
  }
}

/** What a filter means beyond its name and its values; short, as models read the list of tools with each request. */
function describe({ description, field, operator }: Filter): string | null {
  switch (field.kind) {
    case 'time':
      return `${description.replace(/\.$/, '')}, such as 2026-07-14.`;
    case 'number':
      return field.unit;
    case 'position':
      return operator === 'near' ? 'latitude,longitude,km' : 'south,west,north,east, degrees';
    case 'choice':
      return null;
    case 'text':
      return operator === 'within' || field.listOnly ? description : null;
    default:
      return `${description.replace(/\.$/, '')}, by name.`;
  }
}

const toFields = <Names extends FilterName>(
  filters: readonly Filter[],
  write: (filter: Filter) => z.ZodType,
): Fields<Names> => Object.fromEntries(filters.map((filter) => [filter.name, write(filter)])) as Fields<Names>;

function toDescribed(filter: Filter): z.ZodType {
  const description = describe(filter);
  return description === null ? toSchema(filter) : toSchema(filter).describe(description);
}

/** What tools find items by. */
export const filterFields = toFields<ItemFilterName>(itemFilters, toDescribed);

/** Filters by how a file was recorded, which only the tools that search and list have. */
const technical = ['lens', 'codec', 'frame_rate_min', 'frame_rate_max', 'sound', 'resolution'] as const;
type Technical = (typeof technical)[number];
const isTechnical = ({ parameter }: Filter): boolean => (technical as readonly string[]).includes(parameter);

/** Some of the same without what they mean, for tools that say where that is said: models read the list of tools with each request. */
export const briefFilterFields = toFields<Exclude<ItemFilterName, Technical>>(
  itemFilters.filter((filter) => !isTechnical(filter)),
  toSchema,
);

/** The same of the tool that lists items, which has more; what only it has is described. */
export const listFilterFields = toFields<FilterName>(allFilters, (filter) =>
  filter.field.listOnly ? toDescribed(filter) : toSchema(filter),
);

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
