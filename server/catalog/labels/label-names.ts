import type { LabelMatch } from '@media-search/search-engine/text/label-names';

/** The tables of labels, by the filter that takes one. */
export const labelTables: [LabelMatch['name'], string][] = [
  ['creator_id', 'creators'],
  ['category_id', 'categories'],
  ['collection_id', 'collections'],
  ['tag_id', 'tags'],
];
