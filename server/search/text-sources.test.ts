import { expect, test } from 'vitest';
import type { SearchPlace } from '../../contract/search.ts';
import { createRandom, drawVector } from '../../packages/search-engine/testing/random.ts';
import { addSegments, linkSegments, replaceLines } from '../catalog/texts/text-segments.ts';
import { searchBackends, searchOptions, setUpSearch, textEmbedder } from '../testing/search-setup.ts';
import { seedChunks } from '../testing/seed-chunks.ts';

test.each(searchBackends)(
  '%s: what is recognised later is found, with its source, time and place in the picture',
  async (backend) => {
    await using t = await setUpSearch(backend);
    const workspaceId = await t.addWorkspace('Films');
    const random = createRandom(4);
    const [number = 0] = await seedChunks(t.db, workspaceId, textEmbedder.id, { count: 12, perItem: 4 }, (place) => ({
      vector: drawVector(random, textEmbedder.dimensions),
      text: place === 9 ? 'the ferry is late' : 'nothing',
    }));
    const engine = t.startEngine();
    const find = async (query: string, places?: SearchPlace[]) => {
      const { hits } = await engine.searchByText(workspaceId, query, {}, { ...searchOptions(12), places });
      return hits.filter(({ signals }) => signals.terms);
    };
    expect(await find('ferry ')).toHaveLength(1);
    expect(await find('ferry ', ['speech', 'ocr'])).toEqual([]);

    const { media_id: id } = await t.db
      .selectFrom('chunks')
      .select('media_id')
      .where('number', '=', number)
      .executeTakeFirstOrThrow();
    const item = { workspace_id: workspaceId, id };
    const box = { x: 0.1, y: 0.7, width: 0.5, height: 0.1 };
    const line = { language: null, box: null, confidence: 0.9 };
    await addSegments(t.db, item, 'speech', [
      { ...line, start: 1.2, end: 1.7, text: 'We take the', language: 'en' },
      { ...line, start: 1.7, end: 2.4, text: 'ferry to the island', language: 'en' },
    ]);
    await addSegments(t.db, item, 'ocr', [{ ...line, start: 3, end: 3.5, text: 'FERRY', box }]);
    await linkSegments(t.db, item, ['speech', 'ocr']);

    const [shown, ...others] = await find('ferry ', ['ocr']);
    expect(others).toEqual([]);
    expect(shown?.signals.matches).toEqual([
      {
        by: 'words',
        source: 'ocr',
        start: 3,
        end: 3.5,
        language: null,
        box,
        excerpt: [{ text: 'FERRY', matched: true }],
        uncertain: false,
      },
    ]);
    expect(shown?.signals).not.toHaveProperty('visual');
    // The line is spoken in two chunks. A phrase goes on in the next line, and is shown with both.
    expect(new Set((await find('ferry ', ['speech'])).map(({ chunk }) => chunk.start_time))).toEqual(new Set([1, 2]));
    const heard = (await find('"take the ferry" ', ['speech'])).map(({ signals }) => signals.matches?.[0]);
    expect(heard).toMatchObject([{ source: 'speech', start: 1.2, end: 2.4, language: 'en' }]);
    expect(await find('"ferry ferry"', ['speech', 'ocr'])).toEqual([]);
    // Everywhere, in all of its chunks and in that of the other item.
    expect(await find('ferry ')).toHaveLength(4);

    // A phrase goes on in the next line of its subtitle track, past a line of another that comes between.
    const subtitle = (track: number, start: number, text: string) =>
      ({ source: 'subtitle', track, language: null, start, end: start + 0.2, text }) as const;
    await replaceLines(t.db, item, [
      subtitle(2, 0.1, 'two elephants'),
      subtitle(3, 0.2, 'zwei Elefanten'),
      subtitle(2, 0.4, 'cross the road'),
    ]);
    await linkSegments(t.db, item, ['subtitle']);
    expect(await find('"elephants cross" ')).toHaveLength(1);
    expect(await find('"elephants zwei" ')).toEqual([]);
  },
  30_000,
);

test.each(searchBackends)(
  '%s: before a still camera, each moment at which something else is said about it is a hit of its own',
  async (backend) => {
    await using t = await setUpSearch(backend);
    const workspaceId = await t.addWorkspace('Talks');
    const vector = drawVector(createRandom(5), textEmbedder.dimensions);
    const said = ['inflation rises', 'nothing', 'what is inflation', 'inflation rises'];
    await seedChunks(t.db, workspaceId, textEmbedder.id, { count: 4, perItem: 4 }, (place) => ({
      vector,
      text: said[place] ?? '',
    }));
    const engine = t.startEngine();
    const options = { ...searchOptions(10), dedupe: true };
    const { hits } = await engine.searchByText(workspaceId, 'inflation ', {}, options);
    const spoken = hits.filter(({ signals }) => signals.terms);
    const lines = spoken.map(({ signals }) => signals.matches?.[0]?.excerpt.map(({ text }) => text).join(''));
    expect(lines).toHaveLength(2);
    expect(new Set(lines)).toEqual(new Set(['inflation rises', 'what is inflation']));
    // A word with a typing error is looked for as the right one.
    const corrected = await engine.searchByText(workspaceId, 'inflatoin ', {}, options);
    expect(corrected.hits.filter(({ signals }) => signals.terms)).toHaveLength(2);
    // Lines with little of the query tell nothing apart.
    const rare = await engine.searchByText(workspaceId, 'inflation walrus penguin ', {}, options);
    expect(rare.hits).toHaveLength(1);
    // What is said again stands behind the hit that says it.
    expect(spoken.flatMap(({ duplicates }) => duplicates?.map(({ position }) => position) ?? [])).toHaveLength(2);
  },
  30_000,
);

test.each(searchBackends)(
  '%s: a text is found in the shot that shows or says it, not in its neighbour',
  async (backend) => {
    await using t = await setUpSearch(backend);
    const workspaceId = await t.addWorkspace('Films');
    const random = createRandom(6);
    // Shots at 0 to 1, 1 to 2, … seconds.
    const [number = 0] = await seedChunks(t.db, workspaceId, textEmbedder.id, { count: 5, perItem: 5 }, () => ({
      vector: drawVector(random, textEmbedder.dimensions),
      text: 'nothing',
    }));
    const { media_id: id } = await t.db
      .selectFrom('chunks')
      .select('media_id')
      .where('number', '=', number)
      .executeTakeFirstOrThrow();
    const item = { workspace_id: workspaceId, id };
    const subtitle = (start: number, end: number, text: string) =>
      ({ source: 'subtitle', track: 2, language: null, start, end, text }) as const;
    await replaceLines(t.db, item, [
      // As 3.44 − 2.44 is counted, and a few frames before a cut.
      subtitle(1 - 2 ** -53, 1.9, 'alpha'),
      subtitle(2.95, 3.9, 'bravo'),
      subtitle(0.2, 1.06, 'charlie'),
      // Said in both.
      subtitle(1.5, 2.5, 'delta'),
    ]);
    const line = { language: null, box: null, confidence: 0.9 };
    await addSegments(t.db, item, 'ocr', [
      // Seen by one look, just before the cut, and missed by the next one, half a second later.
      { ...line, start: 2.96, end: 3.46, text: 'echo' },
      { ...line, start: 1.5, end: 3.7, text: 'foxtrot' },
      // Up to the end, where no look misses it.
      { ...line, start: 3.5, end: 5, text: 'golf' },
    ]);
    await linkSegments(t.db, item, ['subtitle', 'ocr']);
    const engine = t.startEngine();
    const shotsWith = async (query: string) => {
      const { hits } = await engine.searchByText(workspaceId, query, {}, searchOptions(12));
      return hits
        .filter(({ signals }) => signals.terms)
        .map(({ chunk }) => chunk.start_time)
        .toSorted((a, b) => a - b);
    };
    expect(await shotsWith('alpha ')).toEqual([1]);
    expect(await shotsWith('bravo ')).toEqual([3]);
    expect(await shotsWith('charlie ')).toEqual([0]);
    expect(await shotsWith('delta ')).toEqual([1, 2]);
    expect(await shotsWith('echo ')).toEqual([2]);
    expect(await shotsWith('foxtrot ')).toEqual([1, 2, 3]);
    expect(await shotsWith('golf ')).toEqual([3, 4]);
  },
  30_000,
);
