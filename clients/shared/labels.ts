import {
  type Client,
  listCategories,
  listCollections,
  listCreators,
  listSources,
  listTags,
  paginate,
} from '../typescript/index.ts';

/** What items are labelled with and found by, and how each kind is listed. */
export const labelLists = {
  creator: listCreators,
  category: listCategories,
  collection: listCollections,
  tag: listTags,
  source: listSources,
} as const;

export type LabelKind = keyof typeof labelLists;

export type Label = { id: string; name: string };

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a label is given by its identifier, and not by its name. */
export const isLabelId = (text: string): boolean => uuid.test(text);

const fold = (name: string): string => name.trim().normalize('NFC').toLowerCase();

/** Whether two names are equal as the service compares them: without regard to capital letters and to how accents are written. */
export const isSameName = (one: string, other: string): boolean => fold(one) === fold(other);

/**
 * Finds a label by its name, among those whose names hold it: a short name is in those of hundreds of others.
 * @param isNamed whether a label has that name
 * @returns with it, those that were read
 */
export async function findLabel(
  client: Client,
  kind: LabelKind,
  name: string,
  isNamed: (label: Label) => boolean,
  signal: AbortSignal,
): Promise<{ found: Label | null; similar: Label[] }> {
  const similar: Label[] = [];
  const query = { q: name.trim(), per_page: 100 };
  for await (const label of paginate(labelLists[kind], { client, query, signal })) {
    similar.push(label);
    if (isNamed(label)) return { found: label, similar };
  }
  return { found: null, similar };
}
