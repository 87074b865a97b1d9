import { type LabelMatch, standsIn } from '@media-search/search-engine/text/label-names';

/** The tables of labels, by the filter that takes one. */
export const labelTables: [LabelMatch['name'], string][] = [
  ['creator_id', 'creators'],
  ['category_id', 'categories'],
  ['collection_id', 'collections'],
  ['tag_id', 'tags'],
];

/** A label with its name as it is compared. */
export type NamedLabel = Pick<LabelMatch, 'name' | 'id'> & { foldedName: string };

/** A label whose name holds a term of a query, by the place of the term. */
export type LabelWithTerm = NamedLabel & Pick<LabelMatch, 'term'>;

/** The labels whose names hold a term, with each term that they hold. */
export const findHolding = (labels: NamedLabel[], terms: string[]): LabelWithTerm[] =>
  labels.flatMap((label) =>
    terms.flatMap((part, term) => (label.foldedName.includes(part) ? [{ ...label, term }] : [])),
  );

/** Those of the labels that hold a term where it may stand in a name. */
export const toLabelMatches = (holding: LabelWithTerm[], terms: string[]): LabelMatch[] =>
  holding
    .filter(({ foldedName, term }) => standsIn(foldedName, terms[term] as string))
    .map(({ name, id, term }) => ({ name, id, term }));
