import { stemOf } from '@media-search/search-engine/text/analyse-text';
import { blockOf, changeBlock } from '../catalog/postgres/posting-block.ts';
import type { PostingBudget, PostingStore, StoredTerm } from '../catalog/postgres/posting-store.ts';
import { analyseTexts, type ChunkWithTexts } from '../catalog/postgres/write-texts.ts';
import type { Passing } from '../search/postgres/search-passing.ts';

type Options = {
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
  return ({ labelled = [], limit = Infinity } = {}) => {
    let read = 0;
    const answer = <Value>(value: Value): Promise<Value> => Promise.resolve(value);
    const take = (block: (typeof stored)[number]): Buffer => {
      read += block.held;
      return block.data;
    };

    function readTerms(asked: string[], { ofTerm, ofAll }: PostingBudget): StoredTerm[] {
      const most = Math.min(limit, ofTerm, Math.ceil(ofAll / asked.length));
      return asked.flatMap((term) => {
        const blocks = stored.filter((block) => block.term === term).toSorted((a, b) => b.block - a.block);
        let before = 0;
        const first = blocks.filter(({ held }) => (before += held) - held < most);
        if (blocks.length === 0) return [];
        return {
          term,
          blocks: blocks.map(({ block }) => block),
          held: blocks.map(({ held }) => held),
          data: Buffer.concat(first.map((block) => take(block))),
        };
      });
    }

    const formsOf = (stems: string[]) => terms.filter((term) => stems.includes(stemOf(term)));
    return {
      readCount: () => read,
      openQuery: (_, stems, budget) =>
        answer({
          totals: { documents: chunks.length, length },
          labels: labelled.map((_, term) => ({ name: 'tag_id', id: `${term}`, term }) as const),
          terms: readTerms(formsOf(stems), budget),
        }),
      readForms: (stems, budget) => answer(readTerms(formsOf(stems), budget)),
      readPrefixed: (prefix, count, budget) =>
        answer(readTerms(terms.filter((term) => term.startsWith(prefix)).slice(0, count), budget)),
      listNear: (word) => answer(terms.filter((term) => term[0] === word[0])),
      readBlocks: (wanted) =>
        answer(
          stored
            .filter(({ term, block }) => wanted.some((one) => one.term === term && one.block === block))
            .map((block) => ({ ...block, data: take(block) })),
        ),
      readTexts: (numbers) => answer(numbers.map((number) => byNumber.get(number))),
      listLabelled: ([label]) => answer(labelled[label?.term ?? -1] ?? []),
    };
  };
}

/**
 * Which chunks pass, for tests.
 * @param isFew whether all that pass are listed; otherwise chunks are looked up
 * @param share what is said of it, right or wrong
 */
export function createPassing(
  passing: Set<number>,
  isFew: boolean,
  share: number,
): Passing & { foundCount: () => number } {
  let found = 0;
  return {
    foundCount: () => found,
    share: () => Promise.resolve(share),
    list: () => Promise.resolve(isFew ? passing : null),
    find(numbers) {
      found += numbers.length;
      return Promise.resolve(new Set(Array.from(numbers).filter((number) => passing.has(number))));
    },
  };
}
