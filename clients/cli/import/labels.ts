import { createHash } from 'node:crypto';
import { findLabel, isSameName } from '../../shared/labels.ts';
import {
  ApiError,
  changeCollectionItems,
  changeTagItems,
  type Client,
  createCollection,
  createTag,
} from '../../typescript/index.ts';
import type { Journal } from './journal.ts';

/** A collection or a tag that imported items get. */
export type Label = {
  kind: 'collection' | 'tag';
  name: string;
  description: string;
  /** Names it in the journal. */
  token: string;
};

/** Longest name of a label, and longest description of a collection, UTF-16 units. */
const maxName = 120;
const maxDescription = 2000;

/** @param key what it was elsewhere: it stays that when it is renamed here */
export function toLabel(kind: Label['kind'], name: string, key: string, description = ''): Label {
  const token = createHash('sha256').update(`${kind} ${key}`).digest('hex').slice(0, 12);
  return { kind, name: cut(name.trim(), maxName), description: cut(description.trim(), maxDescription), token };
}

/** Cuts a text where it is too long, by whole characters. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const characters = Array.from(text.slice(0, length));
  while (characters.join('').length >= length) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}

const operations = {
  collection: { create: createCollection, change: changeCollectionItems },
  tag: { create: createTag, change: changeTagItems },
} as const;

/**
 * Gives items a label, which is made where there is none. Items that have it keep it.
 * @param ids at most 1000
 * @throws ApiError
 */
export async function giveLabel(
  label: Label,
  ids: string[],
  client: Client,
  journal: Journal,
  signal: AbortSignal,
): Promise<void> {
  const give = async (id: string) =>
    void (await operations[label.kind].change({ client, path: { id }, body: { add: ids }, signal }));
  const known = journal.label(label.token);
  if (known !== undefined) {
    try {
      return await give(known);
    } catch (failure) {
      // It was deleted since.
      if (!(failure instanceof ApiError && failure.status === 404)) throw failure;
    }
  }
  const id = await findOwn(label, client, journal, signal);
  journal.noteLabel(label.token, id);
  await give(id);
}

/** Finds or makes what a label becomes. A collection that is another album's is left to that: it may have got the name in an earlier run. */
async function findOwn(label: Label, client: Client, journal: Journal, signal: AbortSignal): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? label.name : `${label.name} (${number})`;
    const id = await findOrMake({ ...label, name }, client, signal);
    if (label.kind === 'tag' || !journal.isOfOther(label.token, id)) return id;
  }
}

async function findOrMake(
  { kind, name, description }: Omit<Label, 'token'>,
  client: Client,
  signal: AbortSignal,
): Promise<string> {
  const find = async () => (await findLabel(client, kind, name, (label) => isSameName(label.name, name), signal)).found;
  const found = await find();
  if (found) return found.id;
  try {
    const body = kind === 'collection' ? { name, description } : { name };
    return (await operations[kind].create({ client, body, signal })).data.id;
  } catch (failure) {
    // Another request made it meanwhile.
    const made = failure instanceof ApiError && failure.code === 'already_exists' ? await find() : null;
    if (made) return made.id;
    throw failure;
  }
}
