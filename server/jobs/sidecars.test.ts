import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { CaptionTrack } from '../../contract/captions.ts';
import type { MediaItem } from '../../contract/media.ts';
import type { Source } from '../../contract/sources.ts';
import { makePhoto, makeVideo, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../testing/running-service.ts';

const srt = (text: string, end = 4) => `1\n00:00:01,000 --> 00:00:0${end},000\n${text}\n`;

test('subtitles beside a video are tracks of its item, are found, and change with their file', async () => {
  await using folder = await temporaryFolder();
  await using service = await startTestService({ sourceRoots: [folder.path] });
  const { client } = service;
  const root = folder.file('nas');
  await mkdir(root);
  const at = (name: string) => path.join(root, name);
  const scenes = [{ paint: plain(20, 30, 90), seconds: 3 }];
  const lines = [{ start: 0.5, end: 1.5, text: 'Inside the file' }];
  await makeVideo(at('film.mkv'), { scenes, subtitleTracks: [{ language: 'eng', lines }] });
  // Longer than the film: the line ends with it.
  await writeFile(at('film.de.srt'), Buffer.from(srt('Die Fähre legt ab', 9), 'latin1'));
  await writeFile(
    at('film.pt-BR.vtt'),
    'WEBVTT\n\n00:01.000 --> 00:02.000\nO farol\n\n00:50.000 --> 00:51.000\nBehind its end\n',
  );
  await writeFile(at('film.xmp'), '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');
  await writeFile(at('film.fr.srt'), Buffer.alloc(5 * 2 ** 20, 'x'));
  await writeFile(at('other.en.srt'), srt('Of nothing here'));
  const { id: source } = (await client.post<Source>('/sources', { location: root })).data;
  const item = async () => (await client.get<MediaItem[]>('/media')).data[0];
  const isDone = async () => (await item())?.status === 'complete';
  await expect.poll(isDone, { timeout: 60_000 }).toBe(true);
  const id = (await item())?.id ?? '';
  const tracks = (await client.get<CaptionTrack[]>(`/media/${id}/captions/tracks`)).data;
  const [inside, ...beside] = tracks.toSorted((a, b) => (a.track ?? 0) - (b.track ?? 0));
  expect(inside).toMatchObject({ language: 'en', lines: 1 });
  expect(inside?.track).toBeLessThan(1000);
  expect(beside).toEqual([
    { source: 'subtitle', track: 1000, language: 'de', lines: 1 },
    { source: 'subtitle', track: 1002, language: 'pt-BR', lines: 1 },
  ]);
  const texts = (await client.get<{ text: string; start: number; end: number }[]>(`/media/${id}/texts`)).data;
  expect(texts.find(({ text }) => text === 'Die Fähre legt ab')).toMatchObject({ start: 1, end: 3 });
  const found = async (words: string) => (await client.search(words, '&in=subtitle&as_written=1')).data.length;
  await expect.poll(() => found('"Fähre"'), { timeout: 20_000 }).toBe(1);
  await writeFile(at('film.de.srt'), srt('Das Schiff kommt an'));
  await client.post(`/sources/${source}/scan`, {});
  await expect.poll(() => found('"Schiff"'), { timeout: 60_000 }).toBe(1);
  await expect.poll(() => found('"Fähre"'), { timeout: 20_000 }).toBe(0);
});

test('what XMP beside a photograph says is found, counts and names its place', async () => {
  await using folder = await temporaryFolder();
  await using service = await startTestService({ sourceRoots: [folder.path] });
  const { client } = service;
  const root = folder.file('nas');
  await mkdir(root);
  await makePhoto(path.join(root, 'IMG_1.jpg'), plain(20, 30, 90));
  const xmp = (
    stars: number,
  ) => `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
      xmp:Rating="${stars}" exif:GPSLatitude="53,32.7N" exif:GPSLongitude="9,58.1E" exif:DateTimeOriginal="2026-07-14T21:12:08+02:00">
      <dc:subject><rdf:Bag><rdf:li>lighthouse</rdf:li></rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>`;
  await writeFile(path.join(root, 'IMG_1.xmp'), xmp(4));
  const { id: source } = (await client.post<Source>('/sources', { location: root })).data;
  const item = async () => (await client.get<MediaItem[]>('/media')).data[0];
  await expect.poll(async () => (await item())?.status, { timeout: 60_000 }).toBe('complete');
  expect(await item()).toMatchObject({
    rating: 4,
    taken_at: '2026-07-14T19:12:08.000Z',
    capture: { place: expect.stringContaining('Hamburg') as string, latitude: expect.closeTo(53.545, 3) as number },
  });
  expect((await client.search('lighthouse')).data).toHaveLength(1);
  // The file is read again where its notes change, and what a person chose stays.
  const before = (await item())?.indexed_at;
  await client.patch(`/media/${(await item())?.id}`, { rating: 2 });
  await writeFile(path.join(root, 'IMG_1.xmp'), `${xmp(5)}\n`);
  await client.post(`/sources/${source}/scan`, {});
  await expect
    .poll(async () => (await item())?.indexed_at !== before && (await item())?.status, { timeout: 60_000 })
    .toBe('complete');
  expect(await item()).toMatchObject({ rating: 2 });
});

test('the log of a drone, beside its film or in it, says where it was and is no subtitle', async () => {
  await using folder = await temporaryFolder();
  await using service = await startTestService({ sourceRoots: [folder.path] });
  const { client } = service;
  const root = folder.file('nas');
  await mkdir(root);
  const scenes = [{ paint: plain(20, 30, 90), seconds: 3 }];
  const note = '[iso: 100] [latitude: 53.5459] [longitude: 9.9695]';
  const lines = [{ start: 0.5, end: 1.5, text: note }];
  await makeVideo(path.join(root, 'DJI_1.mkv'), { scenes });
  await writeFile(path.join(root, 'DJI_1.SRT'), srt(`<font size="28">FrameCnt: 1\n${note}</font>`));
  await makeVideo(path.join(root, 'DJI_2.mkv'), { scenes, subtitleTracks: [{ language: 'eng', lines }] });
  await client.post<Source>('/sources', { location: root });
  const items = async () => (await client.get<MediaItem[]>('/media?sort=filename')).data;
  const states = async () => (await items()).map(({ status }) => status);
  await expect.poll(states, { timeout: 60_000 }).toEqual(['complete', 'complete']);
  for (const { id, capture } of await items()) {
    expect(capture).toMatchObject({
      latitude: 53.5459,
      longitude: 9.9695,
      place: expect.stringContaining('Hamburg') as string,
    });
    expect((await client.get<CaptionTrack[]>(`/media/${id}/captions/tracks`)).data).toEqual([]);
  }
});
