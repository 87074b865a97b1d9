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

/** @throws CommandError that says which names there are */
async function requireLabel(client: Client, kind: LabelKind, name: string, signal: AbortSignal): Promise<Label> {
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

/** The filters of a request. @throws CommandError when a name is unknown */
export async function findFilters(client: Client, options: FilterOptions, signal: AbortSignal) {
  const find = async (kind: LabelKind) => {
    const name = options[kind];
    return name === undefined ? {} : { [`${kind}_id`]: (await requireLabel(client, kind, name, signal)).id };
  };
  const { type, takenAfter, takenBefore } = options;
  return {
    ...(await find('creator')),
    ...(await find('category')),
    ...(await find('collection')),
    ...(await find('tag')),
    ...(type === undefined ? {} : { type }),
    ...(takenAfter === undefined ? {} : { taken_after: takenAfter }),
    ...(takenBefore === undefined ? {} : { taken_before: takenBefore }),
  };
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
