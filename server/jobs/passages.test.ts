import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SearchHit } from '../../contract/search.ts';
import type { Workspace } from '../../contract/workspace.ts';
import { makePhoto, makeVideo, plain } from '../../packages/media/samples/draw-media.ts';
import { startTestService } from '../testing/running-service.ts';

// The sentence model is the same, whatever embeds the images.
describe.each(['builtin', 'descriptors'])('with the embedder %s', (embedder) => {
  let service: Awaited<ReturnType<typeof startTestService>>;

  beforeAll(async () => {
    service = await startTestService({ embedder });
    const film = path.join(service.folder, 'film.mkv');
    await makeVideo(film, {
      scenes: [
        { paint: plain(200, 30, 30), seconds: 3 },
        { paint: plain(30, 160, 60), seconds: 3 },
        { paint: plain(30, 40, 200), seconds: 3 },
      ],
      subtitles: [
        { start: 0.2, end: 2.5, text: 'My mother baked bread every Sunday.' },
        { start: 3.2, end: 5.5, text: 'I kept blaming myself for what happened.' },
        { start: 6.2, end: 8.5, text: 'The train leaves at nine from platform four.' },
      ],
    });
    const photo = path.join(service.folder, 'photo.png');
    await makePhoto(photo, plain(120, 120, 120));
    for (const { data } of [
      await service.client.upload(film),
      await service.client.upload(photo, 'my grandma birthday party.png'),
    ])
      expect((await service.client.waitUntilIndexed(data.id)).status).toBe('complete');
    await vi.waitUntil(async () => (await pending()) === 0, { timeout: 60_000, interval: 200 });
  });

  afterAll(() => service[Symbol.asyncDispose]());

  const pending = async () =>
    (await service.client.get<Pick<Workspace, 'text_extraction'>>('/workspace')).data.text_extraction.meaning.pending;

  const meantOf = ({ signals }: SearchHit) => signals.matches?.find(({ by }) => by === 'meaning');
  const searchIn = async (query: string, places: string) => (await service.client.search(query, `&in=${places}`)).data;

  test('a sentence is found by what it means, in other words, and the hit says so', async () => {
    const { data } = await service.client.search('railway departure');
    // Among so few pictures any may stand out.
    const hit = data.find((each) => meantOf(each));
    expect(hit).toMatchObject({ weak: false });
    expect(Math.round(hit?.start as number)).toBe(6);
    const [match] = hit?.signals.matches ?? [];
    expect(match).toMatchObject({
      by: 'meaning',
      source: 'subtitle',
      box: null,
      uncertain: false,
      excerpt: [{ text: 'The train leaves at nine from platform four.', matched: false }],
    });
    expect(match?.start).toBeCloseTo(6.2, 1);
  });

  test('words that are there say more than meaning, and are marked as words', async () => {
    const { data } = await service.client.search('platform four');
    expect(Math.round(data[0]?.start as number)).toBe(6);
    expect(data[0]?.signals.matches?.map(({ by }) => by)).toEqual(['words']);
  });

  test('a search looks for meaning only where it is told to, and names count', async () => {
    expect((await searchIn('railway departure', 'subtitle')).map(({ start }) => Math.round(start))).toEqual([6]);
    expect(await searchIn('railway departure', 'speech,ocr')).toEqual([]);
    expect((await searchIn('railway departure', 'visual')).flatMap((hit) => meantOf(hit) ?? [])).toEqual([]);
    const [named] = await searchIn('celebrating granny', 'filename');
    expect(named).toMatchObject({ filename: 'my grandma birthday party.png' });
    expect(named && meantOf(named)).toMatchObject({ source: 'filename', start: null });
  });

  test('a filter holds for meaning, and a phrase is asked for word by word', async () => {
    expect((await service.client.search('railway departure', '&type=image&in=subtitle')).data).toEqual([]);
    expect(await searchIn('"railway departure"', 'subtitle')).toEqual([]);
  });

  test('what no text is about is no clear hit', async () => {
    for (const query of ['submarine', 'polar bears', 'qwzx blorf'])
      expect([query, await searchIn(query, 'subtitle,filename')]).toEqual([query, []]);
  });

  test('texts that are gone are found no more', async () => {
    const { db, workspaceId, client } = service;
    await db
      .deleteFrom('text_segments')
      .where('workspace_id', '=', workspaceId)
      .where('text', 'like', 'The train%')
      .execute();
    expect((await client.search('railway departure', '&in=subtitle')).data).toEqual([]);
  });
});
