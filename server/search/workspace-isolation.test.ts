import { expect, test } from 'vitest';
import { createRandom, drawClusters, type Random } from '../../packages/search-engine/testing/random.ts';
import { createLabel } from '../catalog/labels/labels.ts';
import type { Catalog } from '../catalog/schema.ts';
import { searchBackends, searchOptions, setUpSearch, textEmbedder } from '../testing/search-setup.ts';
import { seedChunks } from '../testing/seed-chunks.ts';
import type { SearchEngine } from './search-engine.ts';

/** Words that both workspaces use, the first ones often, as in any language. */
const words =
  'harbour lighthouse sextant walrus red car beach snow mountain concert drummer forest river bridge station winter summer dancing 東京 tower'.split(
    ' ',
  );

const drawWord = (random: Random): string => words[Math.floor(random.next() ** 2 * words.length)] as string;
const drawText = (random: Random): string => Array.from({ length: random.below(9) }, () => drawWord(random)).join(' ');

/** Fills a workspace with random texts, names, tags, labels and vectors. */
async function fill(db: Catalog, workspaceId: string, random: Random, count: number): Promise<string[]> {
  const vectors = drawClusters(random, { count, clusters: 30, dimensions: textEmbedder.dimensions });
  await seedChunks(db, workspaceId, textEmbedder.id, { count, perItem: 3 }, (i) => ({
    vector: vectors[i] as Float32Array,
    text: drawText(random),
  }));
  const creators = [];
  for (const name of ['Harbour films', 'Ana Walrus'])
    creators.push(await createLabel(db, 'creators', workspaceId, { name }));
  const items = await db.selectFrom('media_items').select('id').where('workspace_id', '=', workspaceId).execute();
  for (const { id } of items) {
    const changes = {
      filename: `${drawWord(random)}_${drawWord(random)}.mp4`,
      tags: random.next() < 0.5 ? drawWord(random) : '',
      creator_id: random.pick([creators[0]?.id ?? null, creators[1]?.id ?? null, null]),
    };
    await db.updateTable('media_items').set(changes).where('id', '=', id).execute();
  }
  return creators.map((creator) => creator?.id ?? '');
}

/** Queries of each form: words, words with typing errors, phrases, beginnings of words, exclusions. */
function drawQueries(random: Random): string[] {
  const mistype = (word: string): string => word.slice(0, 2) + word.slice(3);
  return Array.from({ length: 40 }, (_, i) => {
    const [a, b, c] = [drawWord(random), drawWord(random), drawWord(random)];
    const forms = [
      a,
      `${a} ${b} ${c}`,
      mistype(a),
      `${mistype(a)} ${b}`,
      `"${a} ${b}"`,
      `${a} ${b.slice(0, 3)}`,
      `${a} -${b}`,
      `${a} -"${b} ${c}"`,
    ];
    return forms[i % forms.length] as string;
  });
}

type Question = { query: string | Float32Array; creator: string | undefined; dedupe: boolean };

/** All that a workspace answers, as JSON. */
async function ask(engine: SearchEngine, workspaceId: string, questions: Question[]): Promise<string[]> {
  const answers: string[] = [];
  for (const { query, creator, dedupe } of questions) {
    const filter = creator === undefined ? {} : { creator_id: creator };
    const options = searchOptions(20, dedupe);
    if (typeof query !== 'string') {
      answers.push(
        JSON.stringify(
          await engine.searchByVector(workspaceId, { vector: query, embedder: textEmbedder }, filter, options),
        ),
      );
      continue;
    }
    const { hits, corrections, unknown, text, problem } = await engine.searchByText(
      workspaceId,
      query,
      filter,
      options,
    );
    answers.push(JSON.stringify({ query, hits, corrections, unknown, text, problem }));
  }
  return answers;
}

test.each(searchBackends)(
  'over %s, the answers of a workspace are byte for byte the same whatever another one holds, does and asks',
  async (backend) => {
    await using t = await setUpSearch(backend);
    const { db } = t;
    // The shape of an embedded index depends on its size.
    const size = backend === 'sqlite' ? { own: 900, other: 2400 } : { own: 200, other: 300 };
    const random = createRandom(10);
    const own = await t.addWorkspace('Own');
    const other = await t.addWorkspace('Other');
    const creators = await fill(db, own, random, size.own);
    const texts = drawQueries(random);
    const vectors = drawClusters(random, { count: 8, clusters: 8, dimensions: textEmbedder.dimensions });
    const questions = [...texts, ...vectors].map((query, i) => ({
      query,
      creator: i % 5 === 4 ? creators[0] : undefined,
      dedupe: i % 3 === 0,
    }));
    const engine = t.startEngine();
    const before = await ask(engine, own, questions);
    // The questions find something, are corrected, and differ.
    expect(before.filter((answer) => answer.includes('"score"')).length).toBeGreaterThan(40);
    expect(before.some((answer) => answer.includes('"from"'))).toBe(true);
    expect(before.some((answer) => answer.includes('"excerpt"'))).toBe(true);
    expect(new Set(before).size).toBeGreaterThan(40);
    const expectSame = async (asked: SearchEngine) => {
      // While the other one searches as well, in the same threads.
      const [answers] = await Promise.all([ask(asked, own, questions), ask(asked, other, questions)]);
      for (const [i, answer] of answers.entries()) expect(answer).toBe(before[i]);
    };
    await expectSame(engine);
    await fill(db, other, random, size.other);
    await expectSame(engine);
    // With words that only one of them holds, and one typing error away from those of the other.
    await db
      .updateTable('text_segments')
      .set({ text: 'walrus harbor wallrus sextants' })
      .where('workspace_id', '=', other)
      .where('start_time', '=', 0)
      .execute();
    await db
      .updateTable('media_items')
      .set({ creator_id: null, tags: 'lighthouse' })
      .where('workspace_id', '=', other)
      .execute();
    await expectSame(engine);
    await expectSame(t.startEngine());
    await db.deleteFrom('media_items').where('workspace_id', '=', other).execute();
    await expectSame(engine);
    await db.deleteFrom('workspaces').where('id', '=', other).execute();
    expect(await ask(t.startEngine(), own, questions)).toEqual(before);
    expect(t.problems).toEqual([]);
  },
  120_000,
);
