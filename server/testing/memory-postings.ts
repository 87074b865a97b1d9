import { stemOf } from '@media-search/search-engine/text/analyse-text';
import { blockOf, changeBlock } from '../catalog/postgres/posting-block.ts';
import type { PostingStore, StoredBlock } from '../catalog/postgres/posting-store.ts';
import { analyseTexts, type ChunkWithTexts } from '../catalog/postgres/write-texts.ts';

type Options = {
  /** The only chunks that may be found. */
  passing?: Set<number>;
  /** The chunks whose labels hold each term of the query. */
  labelled?: number[][];
  /** Changes the budget of postings that is asked for. */
  limit?: number;
};

/** Postings as a database holds them, in memory. For tests. @returns opens them for one query */
export async function createMemoryPostings(
  chunks: ChunkWithTexts[],
): Promise<(options?: Options) => PostingStore & { readCount: () => number }> {
  const { postings, length } = await analyseTexts(chunks);
  const byNumber = new Map(chunks.map((chunk) => [chunk.number, chunk]));
  const terms = [...postings.keys()];
  const stored = [...postings].flatMap(([term, all]) =>
    [...Map.groupBy(all, ({ number }) => blockOf(number))].map(([block, some]) => ({
      term,
      block,
      ...(changeBlock(block, null, new Set(), some) as { data: Buffer; held: number }),
    })),
  );
  return ({ passing, labelled = [], limit = Infinity } = {}) => {
    let read = 0;
    const answer = <Value>(value: Value): Promise<Value> => Promise.resolve(value);
    const take = (block: StoredBlock): StoredBlock => {
      read += block.held;
      return block;
    };
    return {
      readCount: () => read,
      readTotals: () => answer({ documents: chunks.length, length }),
      listForms: (stems) => answer(terms.filter((term) => stems.includes(stemOf(term)))),
      listPrefixed: (prefix) => answer(terms.filter((term) => term.startsWith(prefix))),
      listNear: (word) => answer(terms.filter((term) => term[0] === word[0])),
      readBlocks(wanted, budget) {
        return answer(
          wanted.flatMap((term) => {
            let before = 0;
            return stored
              .filter((block) => block.term === term)
              .toSorted((a, b) => b.block - a.block)
              .map((block) => {
                const isRead = before < Math.min(budget, limit);
                before += block.held;
                return isRead ? take(block) : { ...block, data: null };
              });
          }),
        );
      },
      readChosenBlocks: (wanted) =>
        answer(
          stored
            .filter(({ term, block }) => wanted.some((one) => one.term === term && one.block === block))
            .map((block) => take(block)),
        ),
      readTexts: (numbers) => answer(numbers.map((number) => byNumber.get(number))),
      findLabels: () => answer(labelled.map((_, term) => ({ name: 'tag_id', id: `${term}`, term }) as const)),
      listLabelled: ([label]) => answer(labelled[label?.term ?? -1] ?? []),
      listPassing: (numbers) => answer(passing ? new Set([...numbers].filter((number) => passing.has(number))) : null),
    };
  };
}
