import { readdir } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { makePhoto, makeVideo, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../testing/running-service.ts';

const exif = {
  IFD0: { Make: 'NIKON CORPORATION', Model: 'NIKON D850' },
  IFD2: { DateTimeOriginal: '2026:12:31 23:30:00', OffsetTimeOriginal: '+02:00' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '53/1 30/1 0/1',
    GPSLongitudeRef: 'E',
    GPSLongitude: '9/1 45/1 0/1',
  },
};

test('an item says when, where and with what it was recorded', async () => {
  await using folder = await temporaryFolder();
  await using service = await startTestService();
  const dataDirectory = path.join(service.folder, 'data');
  await makePhoto(folder.file('plain.png'), plain(200, 40, 40));
  await sharp(folder.file('plain.png')).withExif(exif).toFile(folder.file('photo.jpg'));
  await makeVideo(folder.file('film.mp4'), { scenes: [{ paint: plain(20, 90, 200), seconds: 1 }], audio: true });

  const { client, workspaceId } = service;
  const upload = async (name: string) => client.waitUntilIndexed((await client.upload(folder.file(name))).data.id);
  const [photo, film] = [await upload('photo.jpg'), await upload('film.mp4')];
  expect(photo).toMatchObject({
    taken_at: '2026-12-31T21:30:00.000Z',
    capture: {
      text: '2026:12:31 23:30:00',
      source: 'EXIF DateTimeOriginal',
      zone: '+02:00',
      camera: 'NIKON D850',
      latitude: 53.5,
      longitude: 9.75,
      place: 'Neu Wulmstorf, Lower Saxony, Germany',
    },
    details: { image: { format: 'JPEG', bit_depth: 8 } },
  });
  expect(film).toMatchObject({
    taken_at: null,
    capture: null,
    details: { container: 'MP4', video: { codec: 'h264', frame_rate: 25 }, audio: { codec: 'aac' }, audio_tracks: 1 },
  });
  const months = await client.get(`/media/months?type=image&taken_before=2027-01-01`);
  expect(months.data).toEqual([{ month: '2026-12', count: 1 }]);
  // Whoever gets a link to a thumbnail does not learn where the photograph was taken.
  const item = path.join(dataDirectory, 'assets', workspaceId, photo.id);
  const files = (await readdir(item, { recursive: true, withFileTypes: true })).filter(({ name }) =>
    name.endsWith('.webp'),
  );
  expect(files.length).toBeGreaterThan(0);
  for (const { parentPath, name } of files) {
    expect(await sharp(path.join(parentPath, name)).metadata()).not.toHaveProperty('exif');
  }
});

test('stars and keywords of a file count for a new item, and never against what somebody chose', async () => {
  await using folder = await temporaryFolder();
  await using service = await startTestService();
  const { client, db } = service;
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmp:Rating="4">
      <dc:subject><rdf:Bag><rdf:li>windjammer</rdf:li></rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>`;
  await makePhoto(folder.file('plain.png'), plain(200, 40, 40));
  await sharp(folder.file('plain.png')).withXmp(xmp).toFile(folder.file('photo.jpg'));
  const item = await client.waitUntilIndexed((await client.upload(folder.file('photo.jpg'))).data.id);
  expect(item).toMatchObject({ rating: 4 });
  const found = await client.get<{ id: string; weak: boolean }[]>('/media/search?q=windjammer');
  expect(found.data).toMatchObject([{ id: item.id, weak: false }]);

  // Rated before it is indexed.
  const before = await sharp(folder.file('plain.png')).withXmp(xmp.replace('windjammer', 'barque')).toBuffer();
  await sharp(before).keepMetadata().png().toFile(folder.file('rated.png'));
  const { id } = (await client.upload(folder.file('rated.png'))).data;
  await db.updateTable('media_items').set({ rating: 2 }).where('id', '=', id).execute();
  expect(await client.waitUntilIndexed(id)).toMatchObject({ rating: 2 });
});
