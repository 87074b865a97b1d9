import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { connection } from './connection.ts';
import { createCollection, createCreator, createTag } from './generated/api/index.ts';
import {
  createCategory,
  deleteCategory,
  deleteCreator,
  renameCreator,
  updateCategory,
} from './generated/dashboard/index.ts';
import { collectionsOptions, groupRequests, tagsOptions } from './item-groups.ts';
import { categoriesOptions, creatorsOptions } from './labels.ts';

/** What people label items with. Of creators and categories an item has at most one. */
export type LabelKind = 'creator' | 'category' | 'collection' | 'tag';

export type Label = { id: string; name: string; media_count: number; description?: string };

type Fields = { name: string; description?: string };

type Requests = {
  /** What they are called. */
  names: { one: string; many: string };
  /** All of them, by name. */
  list: typeof creatorsOptions | typeof categoriesOptions | typeof collectionsOptions | typeof tagsOptions;
  create: (fields: Fields) => Promise<Label>;
  update: (id: string, fields: Fields) => Promise<unknown>;
  remove: (id: string) => Promise<unknown>;
  /** Whether the published API creates them. Without it a session of this service is needed. */
  published: boolean;
};

/** How the labels of each kind are read and changed. */
export const labelRequests: Record<LabelKind, Requests> = {
  creator: {
    names: { one: 'creator', many: 'creators' },
    list: creatorsOptions,
    create: async ({ name }) => (await createCreator({ body: { name } })).data,
    update: (id, { name }) => renameCreator({ path: { id }, body: { name } }),
    remove: (id) => deleteCreator({ path: { id } }),
    published: true,
  },
  category: {
    names: { one: 'category', many: 'categories' },
    list: categoriesOptions,
    create: async (body) => (await createCategory({ body })).data,
    update: (id, body) => updateCategory({ path: { id }, body }),
    remove: (id) => deleteCategory({ path: { id } }),
    published: false,
  },
  collection: {
    names: { one: 'collection', many: 'collections' },
    list: collectionsOptions,
    create: async ({ name }) => (await createCollection({ body: { name } })).data,
    update: (id, { name }) => groupRequests.collections.rename(id, name),
    remove: groupRequests.collections.remove,
    published: true,
  },
  tag: {
    names: { one: 'tag', many: 'tags' },
    list: tagsOptions,
    create: async ({ name }) => (await createTag({ body: { name } })).data,
    update: (id, { name }) => groupRequests.tags.rename(id, name),
    remove: groupRequests.tags.remove,
    published: true,
  },
};

/** All labels of a kind, by name. */
export const useLabels = (kind: LabelKind): UseQueryResult<Label[]> =>
  // What is read differs in what else is known of a label.
  useQuery(labelRequests[kind].list as typeof categoriesOptions);

type Choices = {
  names: { one: string; many: string };
  options: { id: string; name: string; count: number }[];
  loading: boolean;
  create?: (name: string) => Promise<{ id: string; name: string }>;
};

/** The labels of a kind as a picker takes them, and how one more is created. Spread it into `LabelPicker` or `LabelCombobox`. */
export function useLabelChoices(kind: LabelKind): Choices {
  const client = useQueryClient();
  const { names, list, create, published } = labelRequests[kind];
  const labels = useLabels(kind);
  const createByName = async (name: string) => {
    const label = await create({ name });
    await client.invalidateQueries({ queryKey: list.queryKey });
    return { id: label.id, name: label.name };
  };
  return {
    names,
    options: (labels.data ?? []).map(({ id, name, media_count: count }) => ({ id, name, count })),
    loading: labels.isPending,
    ...(connection && !published ? {} : { create: createByName }),
  };
}
