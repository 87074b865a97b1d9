import { useQueryClient } from '@tanstack/react-query';
import { connection } from './connection.ts';
import { createCollection, createCreator, createTag } from './generated/api/index.ts';
import {
  createCategory,
  deleteCategory,
  deleteCreator,
  renameCreator,
  updateCategory,
} from './generated/dashboard/index.ts';
import { groupRequests } from './item-groups.ts';
import { type Label, type LabelKind, labelLists, useLabels } from './labels.ts';

type Fields = { name: string; description?: string };

type Requests = {
  /** What they are called. */
  names: { one: string; many: string };
  create: (fields: Fields) => Promise<Label>;
  update: (id: string, fields: Fields) => Promise<unknown>;
  remove: (id: string) => Promise<unknown>;
  /** Whether the published API creates them. Without it a session of this service is needed. */
  published: boolean;
};

/** How the labels of each kind are changed. */
export const labelRequests: Record<LabelKind, Requests> = {
  creator: {
    names: { one: 'creator', many: 'creators' },
    create: async ({ name }) => (await createCreator({ body: { name } })).data,
    update: (id, { name }) => renameCreator({ path: { id }, body: { name } }),
    remove: (id) => deleteCreator({ path: { id } }),
    published: true,
  },
  category: {
    names: { one: 'category', many: 'categories' },
    create: async (body) => (await createCategory({ body })).data,
    update: (id, body) => updateCategory({ path: { id }, body }),
    remove: (id) => deleteCategory({ path: { id } }),
    published: false,
  },
  collection: {
    names: { one: 'collection', many: 'collections' },
    create: async ({ name }) => (await createCollection({ body: { name } })).data,
    update: (id, { name }) => groupRequests.collections.rename(id, name),
    remove: groupRequests.collections.remove,
    published: true,
  },
  tag: {
    names: { one: 'tag', many: 'tags' },
    create: async ({ name }) => (await createTag({ body: { name } })).data,
    update: (id, { name }) => groupRequests.tags.rename(id, name),
    remove: groupRequests.tags.remove,
    published: true,
  },
};

type Choices = {
  names: { one: string; many: string };
  options: { id: string; name: string; count: number }[];
  loading: boolean;
  create?: (name: string) => Promise<{ id: string; name: string }>;
};

/** The labels of a kind, and how one more is created: the properties of a picker. */
export function useLabelChoices(kind: LabelKind): Choices {
  const client = useQueryClient();
  const { names, create, published } = labelRequests[kind];
  const labels = useLabels(kind);
  const createByName = async (name: string) => {
    const label = await create({ name });
    await client.invalidateQueries({ queryKey: labelLists[kind].queryKey });
    return { id: label.id, name: label.name };
  };
  return {
    names,
    options: (labels.data ?? []).map(({ id, name, media_count: count }) => ({ id, name, count })),
    loading: labels.isPending,
    ...(connection && !published ? {} : { create: createByName }),
  };
}
