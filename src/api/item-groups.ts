import { queryOptions, useQuery } from '@tanstack/react-query';
import {
  changeCollectionItems,
  changeTagItems,
  type Collection,
  createCollection,
  createTag,
  deleteCollection,
  deleteTag,
  getCollectionOptions,
  listCollections,
  listCollectionsOptions,
  listTags,
  listTagsOptions,
  mergeTag,
  updateCollection,
  renameTag,
  type Tag,
} from './generated/api/index.ts';
import { maxPerPage, wholeListOptions } from './whole-list.ts';

/** Collections and tags: an item may be in many of each. */
export type GroupKind = 'collections' | 'tags';

export type Group = Pick<Tag, 'id' | 'name' | 'media_count'>;

/** All collections, by name. */
export const collectionsOptions = queryOptions({
  ...wholeListOptions(listCollectionsOptions({ query: { per_page: maxPerPage } }), listCollections),
  staleTime: 30_000,
});

export const collectionOptions = (id: string) =>
  queryOptions({ ...getCollectionOptions({ path: { id } }), select: ({ data }) => data });

/** All tags, by name. */
export const tagsOptions = queryOptions({
  ...wholeListOptions(listTagsOptions({ query: { per_page: maxPerPage } }), listTags),
  staleTime: 30_000,
});

/** All collections or tags, by name; none until they have been read, and where a connected service has no such thing. */
export function useGroups(kind: GroupKind): Group[] {
  const collections = useQuery({ ...collectionsOptions, enabled: kind === 'collections' });
  const tags = useQuery({ ...tagsOptions, enabled: kind === 'tags' });
  return (kind === 'tags' ? tags : collections).data ?? [];
}

type Change = { add?: string[]; remove?: string[] };

/** The requests that change a collection or a tag. */
export const groupRequests = {
  collections: {
    create: async (name: string): Promise<Collection> => (await createCollection({ body: { name } })).data,
    rename: (id: string, name: string) => updateCollection({ path: { id }, body: { name } }),
    remove: (id: string) => deleteCollection({ path: { id } }),
    changeItems: async (id: string, body: Change) => (await changeCollectionItems({ path: { id }, body })).data,
  },
  tags: {
    create: async (name: string): Promise<Tag> => (await createTag({ body: { name } })).data,
    rename: (id: string, name: string) => renameTag({ path: { id }, body: { name } }),
    remove: (id: string) => deleteTag({ path: { id } }),
    changeItems: async (id: string, body: Change) => (await changeTagItems({ path: { id }, body })).data,
    merge: (id: string, into: string) => mergeTag({ path: { id }, body: { into } }),
  },
};
