import SQLite from 'better-sqlite3';
import { foldName } from './fold-name.ts';

type Texts = { number: number; text: string; filename: string; tags: string };
type Label = { name: 'creator_id' | 'category_id'; id: string; foldedName: string };

/** A creator or category whose name holds a term of a query; `term`: the place of the term among all of them. */
export type LabelMatch = Pick<Label, 'name' | 'id'> & { term: number };

export type SearchReader = ReturnType<typeof openSearchReader>;

/**
 * Reads at once, on the calling thread, which has to have nothing else to do.
 * @param file path of a catalog that is open in this process already
 */
export function openSearchReader(file: string) {
  const sqlite = new SQLite(file, { readonly: true });
  const selectTexts = sqlite.prepare<[string], Texts>(`
    select chunks.number, coalesce(chunks.text, '') as text, media_items.filename, media_items.tags
    from chunks join media_items on media_items.workspace_id = chunks.workspace_id and media_items.id = chunks.media_id
    where chunks.number in (select value from json_each(?))`);
  const selectLabels = sqlite.prepare<[string, string], Label>(`
    select 'creator_id' as name, id, folded_name as foldedName from creators where workspace_id = ?
    union all select 'category_id', id, folded_name from categories where workspace_id = ?`);
  return {
    /** The texts of chunks by their numbers, in the same order; undefined for chunks that do not exist. */
    readTexts(numbers: number[]): (Texts | undefined)[] {
      const found = new Map(selectTexts.all(JSON.stringify(numbers)).map((texts) => [texts.number, texts]));
      return numbers.map((number) => found.get(number));
    },

    /** The creators and categories of a workspace whose name holds one of some terms. */
    findLabels(workspaceId: string, terms: string[]): LabelMatch[] {
      if (terms.length === 0) return [];
      const folded = terms.map(foldName);
      return selectLabels
        .all(workspaceId, workspaceId)
        .flatMap(({ name, id, foldedName }) =>
          folded.flatMap((term, place) => (foldedName.includes(term) ? [{ term: place, name, id }] : [])),
        );
    },
  };
}
