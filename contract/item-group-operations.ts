import { listByNameQuery } from './creators.ts';
import {
  changedMembers,
  collection,
  collectionBody,
  collectionChanges,
  collectionMoves,
  deletedGroup,
  memberChanges,
  mergeBody,
  tag,
  tagBody,
} from './item-groups.ts';
import { changeNamed, createNamed, deleteNamed, getNamed, listNamed } from './named-operations.ts';
import { listsBodyLimit, type Operation } from './operation.ts';
import { idParams } from './parameters.ts';

const collections = {
  path: '/collections',
  noun: 'collection',
  plural: 'collections',
  tag: 'Collections',
  access: 'key',
  item: collection,
} as const;
const tags = { path: '/tags', noun: 'tag', plural: 'tags', tag: 'Tags', access: 'key', item: tag } as const;

/** Collections and tags: an item may be in many of each. */
export const itemGroupOperations = {
  listCollections: listNamed(collections, listByNameQuery),
  createCollection: createNamed(collections, collectionBody, { errors: ['quota_exceeded'] }),
  getCollection: getNamed(collections),
  updateCollection: changeNamed(collections, collectionChanges, {
    summary: 'Rename or describe a collection, or choose its cover.',
  }),
  orderCollection: {
    method: 'POST',
    path: '/collections/:id/order',
    tag: 'Collections',
    access: 'key',
    summary: 'Move items within a collection.',
    description:
      'Its order is that of `GET /media?collection_id=…&sort=position`: at first, and behind all that were moved, items are in the order in which they were added.',
    params: idParams,
    body: collectionMoves,
    bodyLimit: { bytes: 64 * 1024, members: 2000 },
    responses: { 200: 'The moves that set back what was moved.' },
    data: collectionMoves,
    errors: ['not_found'],
  },
  deleteCollection: deleteNamed(collections, 'Delete a collection. Its items stay.', deletedGroup),
  changeCollectionItems: {
    method: 'POST',
    path: '/collections/:id/items',
    tag: 'Collections',
    access: 'key',
    summary: 'Add items to a collection and remove others.',
    description:
      'Identifiers that name no item of the workspace are ignored: items may be deleted meanwhile. Sent again it changes nothing.',
    params: idParams,
    body: memberChanges,
    bodyLimit: listsBodyLimit,
    responses: { 200: 'What was changed.' },
    data: changedMembers,
    errors: ['not_found'],
  },
  listTags: listNamed(tags, listByNameQuery),
  createTag: createNamed(tags, tagBody, { errors: ['quota_exceeded'] }),
  getTag: getNamed(tags),
  renameTag: changeNamed(tags, tagBody),
  mergeTag: {
    method: 'POST',
    path: '/tags/:id/merge',
    tag: 'Tags',
    access: 'key',
    summary: 'Merge a tag into another.',
    description:
      'Its items get the other tag, and it is deleted. 400 where the other is no tag of the workspace, or itself.',
    params: idParams,
    body: mergeBody,
    responses: { 200: 'The other tag.' },
    data: tag,
    errors: ['not_found'],
  },
  deleteTag: deleteNamed(tags, 'Delete a tag. Its items stay.', deletedGroup),
  changeTagItems: {
    method: 'POST',
    path: '/tags/:id/items',
    tag: 'Tags',
    access: 'key',
    summary: 'Give items a tag and take it from others.',
    description:
      'Identifiers that name no item of the workspace are ignored: items may be deleted meanwhile. Sent again it changes nothing.',
    params: idParams,
    body: memberChanges,
    bodyLimit: listsBodyLimit,
    responses: { 200: 'What was changed.' },
    data: changedMembers,
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
