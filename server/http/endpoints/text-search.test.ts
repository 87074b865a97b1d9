import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SearchHit } from '../../../contract/search.ts';
import { makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../testing/running-service.ts';

/** What a search by words finds in subtitles, file names and labels, and what it says about the words. */

let service: Awaited<ReturnType<typeof startTestService>>;
let creator: string;

const lines = [
  { start: 0, end: 2, text: 'We received the parcel at the ferry' },
  { start: 3, end: 5, text: 'A red car passed the station' },
  { start: 6, end: 8, text: 'The car, she said, was painted in red' },
];

beforeAll(async () => {
  service = await startTestService();
  const { client, folder } = service;
  const film = path.join(folder, 'film.mkv');
  // Colours that differ enough for a shot, and so a chunk, of each line.
  await makeVideo(film, {
    scenes: [
      { paint: plain(200, 30, 30), seconds: 3 },
      { paint: plain(30, 160, 60), seconds: 3 },
      { paint: plain(30, 40, 200), seconds: 3 },
    ],
    subtitles: lines,
  });
  creator = (await client.post<{ id: string }>('/creators', { name: 'Ana Passer' })).data.id;
  const photos = ['東京タワー.png', 'holidayParis.png', 'IMG_2041.png', 'portrait.png'];
  const uploads = [await client.upload(film)];
  for (const [i, name] of photos.entries()) {
    const file = path.join(folder, `${i}.png`);
    await makePhoto(file, plain(40 * i, 120, 220 - 40 * i));
    uploads.push(await client.upload(file, name, name === 'portrait.png' ? { creator_id: creator } : {}));
  }
  for (const { data } of uploads) expect((await client.waitUntilIndexed(data.id)).status).toBe('complete');
});

afterAll(() => service[Symbol.asyncDispose]());

/** What was found by its texts: the seconds of the film or the names of photographs, the best first. */
async function findTexts(query: string): Promise<(string | number)[]> {
  const { data } = await service.client.search(query);
  return data
    .filter(({ signals }) => signals.terms)
    .map(({ filename, start }) => (filename === 'film.mkv' ? Math.round(start) : filename));
}

const marked = (hit: SearchHit | undefined) =>
  (hit?.signals.excerpt ?? []).filter(({ matched }) => matched).map(({ text }) => text);

describe('a word with a typing error', () => {
  test.each(['recieved', 'receved', 'receiived', 'recerved'])(
    '%s finds the right one, and the answer says so',
    async (typed) => {
      const { data, meta } = await service.client.search(typed);
      expect(data[0]?.start).toBe(0);
      expect(data[0]?.filename).toBe('film.mkv');
      expect(marked(data[0])).toEqual(['received']);
      expect(meta.notice).toContain(`No text contains “${typed}”. Showing results for “received” instead.`);
      expect(meta.corrections).toEqual([{ from: typed, to: 'received' }]);
      const right = await service.client.search('received');
      expect(right.data[0]?.score).toBeGreaterThan(data[0]?.score ?? 1);
      expect(right.meta.notice ?? '').not.toContain('Showing results for');
    },
  );

  test.each(['parc', 'xeceived', 'rieceved', 'recei'])('%s is none', async (typed) => {
    const { meta } = await service.client.search(typed);
    expect(meta.notice ?? '').not.toContain('instead');
  });

  test('is corrected before the model sees it, unless the words are wanted as they are written', async () => {
    const places = '&in=visual';
    const [typed, meant] = [
      await service.client.search('koira yelow', places),
      await service.client.search('blue yellow', places),
    ];
    // “koira” is a word of Finnish.
    expect(typed.meta.corrections).toEqual([{ from: 'yelow', to: 'yellow' }]);
    expect(typed.meta.notice).toContain('No text contains “yelow”. Showing results for “yellow” instead.');
    expect(typed.meta.unknown_terms).toEqual(['koira']);
    expect(meant.meta).not.toHaveProperty('corrections');
    const written = await service.client.search('yelow recieved', '&as_written=1');
    expect(written.meta).not.toHaveProperty('corrections');
    expect(written.meta.notice ?? '').not.toContain('instead');
    expect(written.meta.unknown_terms).toEqual(['yelow', 'recieved']);
    expect(written.data).toEqual([]);
  });

  test('a word that a label holds is none, although a text holds one that is near it', async () => {
    expect((await service.client.search('passer')).meta.notice ?? '').not.toContain('instead');
    expect(await findTexts('passer')).toEqual(['portrait.png']);
  });
});

describe('a query in another language', () => {
  test('is understood, and the answer says how', async () => {
    const { data, meta } = await service.client.search('rotes Auto');
    expect(meta.translated).toEqual([
      { from: 'rotes', to: 'red' },
      { from: 'Auto', to: 'car' },
    ]);
    expect(meta.notice).toContain('Understood: rotes → red, Auto → car.');
    expect(data[0]?.filename).toBe('film.mkv');
    expect(marked(data[0]).toSorted()).toEqual(['car', 'red']);
    // The descriptors know colours, and no cars.
    expect(meta.unknown_terms).toEqual(['car']);
  });

  test('is searched for as it is written where that is wanted, and so is what stands in quotation marks', async () => {
    for (const search of [
      () => service.client.search('rotes Auto', '&as_written=1'),
      () => service.client.search('"rotes Auto"'),
    ]) {
      const { meta } = await search();
      expect(meta).not.toHaveProperty('translated');
      expect(meta.notice ?? '').not.toContain('Understood');
    }
  });

  test('names what it does not understand', async () => {
    const { meta } = await service.client.search('rotes Auto mit Flixbumsel');
    expect(meta.unknown_terms).toEqual(['Flixbumsel', 'car']);
    expect(meta.notice).toContain('Understood: rotes → red, Auto → car.');
    expect(meta.notice).toContain('does not understand “Flixbumsel”, “car”');
  });

  test('leaves out what follows “without”', async () => {
    const { meta } = await service.client.search('rotes Auto ohne Bahnhof');
    expect(meta.excluded).toEqual(['Bahnhof', 'station']);
    expect(await findTexts('rotes Auto ohne Bahnhof')).toEqual([6]);
  });
});

describe('a long query', () => {
  const filler = (count: number) => Array.from({ length: count }, (_, i) => `q${i}`).join(' ');
  const notice = 'Of the query only the first 32 words, 4 phrases and 16 exclusions are used.';

  test('is cut after 32 words, and the answer says so', async () => {
    const { meta } = await service.client.search(`${filler(32)} ferry`);
    expect(meta.notice).toContain(notice);
    expect(await findTexts(`${filler(32)} ferry`)).toEqual([]);
  });

  test('of 32 words is searched for completely', async () => {
    const { meta } = await service.client.search(`${filler(31)} ferry`);
    expect(meta.notice ?? '').not.toContain(notice);
    expect(await findTexts(`${filler(31)} ferry`)).toEqual([0]);
  });
});

describe('a phrase', () => {
  test('matches words that follow each other, and marks them', async () => {
    expect(await findTexts('"red car"')).toEqual([3]);
    expect(await findTexts('"car red"')).toEqual([]);
    const { data } = await service.client.search('"red car"');
    expect(marked(data.find(({ signals }) => signals.terms))).toEqual(['red car']);
  });

  test('is in each hit, whatever else shows what it says', async () => {
    const { data, meta } = await service.client.search('blue "red car"');
    expect(data.map(({ start }) => Math.round(start))).toEqual([3]);
    expect(meta).not.toHaveProperty('suggested_query');
  });

  test.each([
    ['"red parcel"', 'red parcel', '“red parcel”'],
    [
      'green "red parcel" "the car" -"old ferry"',
      'green red parcel the car -"old ferry"',
      '“red parcel” and “the car”',
    ],
  ])('that no text holds finds nothing, and the answer offers the words: %s', async (query, suggested, named) => {
    const { data, meta } = await service.client.search(query);
    expect(data).toEqual([]);
    expect(meta.suggested_query).toBe(suggested);
    expect(meta.notice).toContain(`No text contains ${named}, word for word.`);
    const words = await service.client.search(suggested);
    expect(words.data).not.toEqual([]);
    expect(words.meta).not.toHaveProperty('suggested_query');
    // Where no text is searched, its words are looked for in images.
    expect((await service.client.search(query, '&in=visual')).data).not.toEqual([]);
  });

  test.each(['car without painted', 'car -painted'])(
    'by what is excluded is named, and left out of texts: %s',
    async (query) => {
      const { data, meta } = await service.client.search(query, '&in=subtitle');
      expect(data.map(({ start }) => Math.round(start))).toEqual([3]);
      expect(meta.excluded).toEqual(['painted']);
      expect(meta.notice).toContain('Left out: what says “painted”.');
      const everywhere = await service.client.search(query);
      expect(everywhere.meta.notice).toContain('what says “painted”, and what shows it as far as the model can tell.');
      const written = await service.client.search('car without painted', '&in=subtitle&as_written=1');
      expect(written.data).toHaveLength(2);
      expect(written.meta).not.toHaveProperty('excluded');
    },
  );

  test('without quotation marks matches the words anywhere', async () => {
    expect(new Set(await findTexts('red car'))).toEqual(new Set([3, 6]));
  });

  test('that is excluded keeps what has the words apart', async () => {
    const found = async (query: string) =>
      (await service.client.search(query)).data.map(({ start }) => Math.round(start));
    expect(await findTexts('car -"red car"')).toEqual([6]);
    expect(await found('car -"red car"')).not.toContain(3);
    expect(await findTexts('car -painted')).toEqual([3]);
  });
});

test('says where and when the words are said or named', async () => {
  const { data } = await service.client.search('ferry');
  expect(data[0]?.signals.matches).toEqual([
    {
      by: 'words',
      source: 'subtitle',
      start: 0,
      end: 2,
      language: null,
      box: null,
      uncertain: false,
      excerpt: data[0]?.signals.excerpt,
    },
  ]);
  expect(marked(data[0])).toEqual(['ferry']);
  const matchOf = async (query: string) => {
    const hit = (await service.client.search(query)).data.find(({ signals }) => signals.terms);
    const [match] = hit?.signals.matches ?? [];
    return `${match?.source} ${match?.start}: ${match?.excerpt.map(({ text }) => text).join('')}`;
  };
  expect(await matchOf('paris')).toBe('filename null: holidayParis.png');
  expect(await matchOf('passer')).toBe('creator null: Ana Passer');
  expect(await matchOf('painted')).toBe('subtitle 6: The car, she said, was painted in red');
});

describe('a search looks only where it is told to', () => {
  const found = async (query: string, places: string) => {
    const { data } = await service.client.search(query, `&in=${places}`);
    return data.map(({ filename, start }) => (filename === 'film.mkv' ? Math.round(start) : filename));
  };

  test.each([
    ['ferry', 'subtitle', [0]],
    ['ferry', 'speech,ocr,chapter,filename,tag,creator,category,collection', []],
    ['"red car"', 'subtitle,filename', [3]],
    ['car -painted', 'subtitle', [3]],
    ['recieved', 'subtitle', [0]],
    ['recieved', 'filename', []],
    ['parc', 'subtitle', [0]],
    ['parc', 'filename', []],
    ['paris', 'filename', ['holidayParis.png']],
    ['paris', 'subtitle,tag', []],
    ['passer', 'creator', ['portrait.png']],
    ['passer', 'collection,tag', []],
  ])('%s in %s', async (query, places, expected) => {
    expect(await found(query, places)).toEqual(expected);
  });

  test('in what images show', async () => {
    const { data, meta } = await service.client.search('red ferry', '&in=visual');
    expect(data.length).toBeGreaterThan(0);
    for (const { signals } of data) {
      expect(signals.visual).toBeDefined();
      expect(signals).not.toHaveProperty('text');
      expect(signals).not.toHaveProperty('matches');
    }
    expect(meta.reranked).toBe(false);
    // The model does not know the word, and no text is looked at for it.
    expect(meta.notice).toMatch(/“ferry”; not searched for, because texts are left out\./);
    // Whether a word has a typing error is asked of all texts.
    expect((await service.client.search('recieved', '&in=visual')).meta.notice).toContain('“received” instead');
  });

  test('and reranks only by images that count', async () => {
    const { data, meta } = await service.client.search('red car', '&in=subtitle&rerank=1');
    expect(meta).toMatchObject({ reranked: false });
    expect(meta.notice).toContain('Not reranked');
    expect(data.every(({ signals }) => signals.visual === undefined)).toBe(true);
  });

  test.each(['', 'pictures', 'speech,', 'speech, ocr', 'visual,visual,text'])('and refuses “%s”', async (places) => {
    const answer = await service.client.search('red', `&in=${encodeURIComponent(places)}`);
    expect(answer).toMatchObject({ status: 400, error: { details: [{ path: 'query.in' }] } });
  });
});

describe('a file name', () => {
  test.each([
    ['東京', '東京タワー.png'],
    ['タワー', '東京タワー.png'],
    ['東京タワー', '東京タワー.png'],
    ['paris', 'holidayParis.png'],
    ['holidayparis', 'holidayParis.png'],
    ['img 2041', 'IMG_2041.png'],
    ['img2041', 'IMG_2041.png'],
    ['IMG_2041', 'IMG_2041.png'],
  ])('is found by %s', async (query, name) => {
    expect(await findTexts(query)).toEqual([name]);
    const hit = (await service.client.search(query)).data.find(({ filename }) => filename === name);
    expect(marked(hit).join('')).not.toBe('');
  });

  test('is not found by its letters in another order, nor by its extension', async () => {
    expect(await findTexts('京東')).toEqual([]);
    expect(await findTexts('png')).toEqual([]);
  });
});

describe('the beginning of a word', () => {
  test('finds it as the last word of a query', async () => {
    expect(await findTexts('holi')).toEqual(['holidayParis.png']);
    expect(await findTexts('red stat')).toContain(3);
    const hit = (await service.client.search('holi')).data.find(({ signals }) => signals.terms);
    expect(marked(hit)).toEqual(['holidayParis']);
  });

  test('finds nothing before another word', async () => {
    expect(await findTexts('holi zzz')).toEqual([]);
  });
});

test('items are found by the name that their creator has at this moment', async () => {
  const owner = await service.signIn();
  expect(await findTexts('passer')).toEqual(['portrait.png']);
  await owner.patch(`/manage/creators/${creator}`, { name: 'Ana Byron' });
  expect(await findTexts('passer')).not.toContain('portrait.png');
  expect(await findTexts('byron')).toEqual(['portrait.png']);
  await owner.patch(`/manage/creators/${creator}`, { name: 'Ana Passer' });
});

test('items are found by the names of their tags and collections, as they are at this moment', async () => {
  const { client } = service;
  const portrait = (await client.get<{ id: string; filename: string }[]>('/media?q=portrait')).data[0]?.id ?? '';
  for (const kind of ['tags', 'collections']) {
    const { id } = (await client.post<{ id: string }>(`/${kind}`, { name: 'Zanzibar' })).data;
    await client.post(`/${kind}/${id}/items`, { add: [portrait] });
    expect(await findTexts('zanzibar'), kind).toEqual(['portrait.png']);
    await client.patch(`/${kind}/${id}`, { name: 'Lisbon' });
    expect(await findTexts('zanzibar'), kind).not.toContain('portrait.png');
    expect(await findTexts('lisbon'), kind).toEqual(['portrait.png']);
    await client.post(`/${kind}/${id}/items`, { remove: [portrait] });
    expect(await findTexts('lisbon'), kind).not.toContain('portrait.png');
    await client.delete(`/${kind}/${id}`);
  }
});
