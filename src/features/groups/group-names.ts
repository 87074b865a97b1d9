import type { GroupKind } from '../../api/item-groups.ts';

/** What collections and tags are called. */
export const groupNames: Record<GroupKind, { one: string; many: string; Many: string }> = {
  collections: { one: 'collection', many: 'collections', Many: 'Collections' },
  tags: { one: 'tag', many: 'tags', Many: 'Tags' },
};
