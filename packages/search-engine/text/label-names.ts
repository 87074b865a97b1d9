/** A creator, category, collection or tag whose name holds a term of a query; `term`: the place of the term among all of them. */
export type LabelMatch = {
  name: 'creator_id' | 'category_id' | 'collection_id' | 'tag_id';
  id: string;
  term: number;
};

/** Terms of fewer letters than this are parts of too many words: `in` of `painting`. */
const minPartLength = 4;
/** Scripts that put spaces between words. */
const spacedWord = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]+$/u;

/** Whether a term that is a part of a name counts: a short one only where a word begins. */
export function standsIn(name: string, term: string): boolean {
  if (term.length >= minPartLength || !spacedWord.test(term)) return true;
  return name.split(/[^\p{L}\p{M}\p{N}]+/u).some((word) => word.startsWith(term));
}
