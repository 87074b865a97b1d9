import type { CreateShareData, MediaItem, Share } from '../../api/generated/api/index.ts';

type Item = { id: string; type: MediaItem['type']; moment?: { start: number; end: number } };

/** What a link can be made to: an item, and the moment of it that is offered first (seconds), a collection, or a selection of items. */
export type Shareable = Item | { collection_id: string } | { ids: readonly string[] };

export const isItem = (of: Shareable): of is Item => 'id' in of;

/** Most items of a selection that is shared. */
export const maxShared = 1000;

/** The part of a request that names what is shared. */
export function toTarget(of: Shareable, span: { start: number; end: number } | null): Partial<CreateShareData['body']> {
  if (isItem(of)) return { media_id: of.id, ...span };
  return 'ids' in of ? { ids: [...of.ids] } : of;
}

export const lifetimes = [
  { value: '24', text: '1 day' },
  { value: '168', text: '7 days' },
  { value: '720', text: '30 days' },
  { value: '8760', text: '1 year' },
] as const;
export type Lifetime = (typeof lifetimes)[number]['value'];

export const downloads: { value: Share['download']; text: string }[] = [
  { value: 'none', text: 'No' },
  { value: 'rendition', text: 'Viewing copy' },
  { value: 'original', text: 'Original' },
];

export const commentModes: { value: Share['comments']; text: string }[] = [
  { value: 'none', text: 'No' },
  { value: 'read', text: 'Can read' },
  { value: 'write', text: 'Can write' },
];
