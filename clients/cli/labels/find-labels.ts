import {
  edits,
  type Filter,
  type FilterName,
  type FilterParameters,
  type ItemFilterName,
  itemFilters,
} from '../../../contract/fields.ts';
import { findLabel, isLabelId, isSameName, type Label, type LabelKind, labelLists } from '../../shared/labels.ts';
import { type Client, createCollection, createCreator, type UploadLabels } from '../../typescript/index.ts';
import type { FilterOptions } from '../commands/options.ts';
import type { LabelOptions } from '../commands/upload-options.ts';
import { CommandError } from '../failures.ts';

/** So many names are listed when none fits. */
const maxSuggestions = 10;

/**
 * The identifier of a label that people name, or give by its identifier.
 * @returns null when there is none of this name
 */
async function findByName(client: Client, kind: LabelKind, name: string, signal: AbortSignal): Promise<Label | null> {
  if (isLabelId(name)) return { id: name.toLowerCase(), name };
  const { found } = await findLabel(client, kind, name, (label) => isSameName(label.name, name), signal);
  return found;
}

/** The label of a name, or of an identifier, which is not looked up. @throws CommandError that says which names there are */
export async function requireLabel(client: Client, kind: LabelKind, name: string, signal: AbortSignal): Promise<Label> {
  const label = await findByName(client, kind, name, signal);
  if (label) return label;
  const { data, meta } = await labelLists[kind]({ client, query: { per_page: maxSuggestions }, signal });
  const names = data.map((each) => `“${each.name}”`).join(', ');
  const more = meta.total > data.length ? `, and ${meta.total - data.length} more` : '';
  const known = data.length === 0 ? 'There is none yet.' : `There are ${names}${more}.`;
  throw new CommandError(`There is no ${kind} named “${name}”. ${known}`);
}

/** What makes a label, where the API can: categories are made in the dashboard. */
const makers = { creator: createCreator, collection: createCollection } as const;

/**
 * A creator or a collection by name, made where there is none.
 * @param make whether it may be made
 * @throws CommandError
 */
async function findOrMake(
  client: Client,
  kind: keyof typeof makers,
  name: string,
  make: boolean,
  signal: AbortSignal,
): Promise<string> {
  const found = await findByName(client, kind, name, signal);
  if (found) return found.id;
  if (make) return (await makers[kind]({ client, body: { name }, signal })).data.id;
  throw new CommandError(`There is no ${kind} named “${name}”. --create makes it.`);
}

/** The value of an option, as it was given. */
type Value = string | number | undefined;

/**
 * The filters of a request.
 * @param filters those that the command has
 * @throws CommandError when a name is unknown
 */
export async function findFilters<Names extends FilterName = ItemFilterName>(
  client: Client,
  options: FilterOptions,
  signal: AbortSignal,
  filters: readonly Filter[] = itemFilters,
): Promise<FilterParameters<Names>> {
  const found: Record<string, unknown> = {};
  for (const { parameter, name, field } of filters) {
    const value = options[name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())] as Value;
    if (value === undefined) continue;
    const isLabel = field.kind === 'label' || field.kind === 'labels';
    found[parameter] = isLabel ? (await requireLabel(client, name as LabelKind, String(value), signal)).id : value;
  }
  return found as FilterParameters<Names>;
}

/** The changes of an item. `none` clears a label. @throws CommandError when a name is unknown */
export async function findChanges(
  client: Client,
  options: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const changes: Record<string, unknown> = {};
  for (const { member, name, field } of edits) {
    const value = options[name] as Value;
    if (value === undefined) continue;
    if (field.kind !== 'label') changes[member] = value;
    else if (value === 'none') changes[member] = null;
    else changes[member] = (await requireLabel(client, name as LabelKind, String(value), signal)).id;
  }
  return changes;
}

/** The labels of new items. @throws CommandError when a name is unknown and may not be made */
export async function findUploadLabels(
  client: Client,
  { creator, category, collection, tag, create = false }: LabelOptions,
  signal: AbortSignal,
): Promise<UploadLabels> {
  return {
    ...(creator === undefined ? {} : { creator_id: await findOrMake(client, 'creator', creator, create, signal) }),
    ...(category === undefined ? {} : { category_id: (await requireLabel(client, 'category', category, signal)).id }),
    ...(collection === undefined
      ? {}
      : { collection_id: await findOrMake(client, 'collection', collection, create, signal) }),
    ...(tag === undefined ? {} : { tags: tag.join(',') }),
  };
}
