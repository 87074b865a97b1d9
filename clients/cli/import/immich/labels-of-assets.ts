import { type Label, toLabel } from '../labels.ts';
import type { Library } from './library.ts';

/** Names are compared as the service compares them. */
const fold = (name: string): string => name.trim().normalize('NFC').toLowerCase();

/** What an album without a name is called. */
const untitled = 'Untitled';

/** The tag of what is in the archive. */
const archived = 'archived';

/** The collections and tags of each asset, by its identifier: its albums, its tags, the people in it, and that it is archived. */
export function findLabels({ albums, tags, assets }: Library): Map<string, Label[]> {
  const labels = new Map<string, Map<string, Label>>();
  const give = (asset: string, label: Label) => {
    const given = labels.get(asset) ?? new Map<string, Label>();
    labels.set(asset, given.set(label.token, label));
  };
  const toTag = cached((name: string) => toLabel('tag', name, fold(name)));
  const used = new Set<string>();
  for (const album of albums) {
    if (album.assets.size === 0) continue;
    const label = toLabel('collection', toFreeName(album.name.trim() || untitled, used), album.id, album.description);
    for (const asset of album.assets) give(asset, label);
  }
  for (const tag of tags) if (tag.name.trim() !== '') for (const asset of tag.assets) give(asset, toTag(tag.name));
  for (const { id, people, isArchived } of assets) {
    for (const name of people) if (name !== '') give(id, toTag(name));
    if (isArchived) give(id, toTag(archived));
  }
  return new Map([...labels].map(([asset, given]) => [asset, [...given.values()]]));
}

/** Immich may have several albums of a name, the service has one collection of it: the others get a number, in the order in which they were made. */
function toFreeName(name: string, used: Set<string>): string {
  let free = name;
  for (let number = 2; used.has(fold(free)); number++) free = `${name} (${number})`;
  used.add(fold(free));
  return free;
}

/** The same label for a name, whatever its capitals: there may be many of one name. */
function cached(make: (name: string) => Label): (name: string) => Label {
  const made = new Map<string, Label>();
  return (name) => {
    const label = made.get(fold(name)) ?? make(name);
    made.set(fold(name), label);
    return label;
  };
}
