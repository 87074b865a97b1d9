import { writeFile } from 'node:fs/promises';
import { Demuxer, Muxer } from 'node-av/api';
import { Dictionary } from 'node-av/lib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { detectMediaType } from './detect-media-type.ts';
import { cleanText, findDate, position, withZoneOf } from './file-tags.ts';
import { probeVideo } from './probe-video.ts';
import { readImageTags } from './read-image-tags.ts';
import { readVideoTags } from './read-video-tags.ts';
import { makePhoto, makeVideo, plain } from './samples/draw-media.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const date = (text: string, zone?: string, fraction?: string) => findDate([{ source: 'tag', text, zone, fraction }]);

test.each([
  ['2026:07:14 21:12:08', '+02:00', '25', '2026-07-14T19:12:08.250Z', '+02:00'],
  ['2026:12:31 23:59:59', undefined, undefined, '2026-12-31T23:59:59.000Z', null],
  ['2026-07-14T21:12:08+0200', undefined, undefined, '2026-07-14T19:12:08.000Z', '+02:00'],
  ['2026-07-14T19:12:08.123456Z', undefined, undefined, '2026-07-14T19:12:08.123Z', '+00:00'],
  ['2026-07-14T21:12:08-09:30', undefined, undefined, '2026-07-15T06:42:08.000Z', '-09:30'],
  ['2026:07:14 21:12:08 ', 'nonsense', 'x', '2026-07-14T21:12:08.000Z', null],
  ['2026:07:14 21:12:08', '+99:00', undefined, '2026-07-14T21:12:08.000Z', null],
  ['1826:06:04 08:00', undefined, undefined, '1826-06-04T08:00:00.000Z', null],
  ['2024-02-29', undefined, undefined, '2024-02-29T00:00:00.000Z', null],
])('the date %s with the zone %s', (text, zone, fraction, takenAt, takenZone) => {
  expect(date(text, zone, fraction)).toEqual({ takenAt, takenZone, takenText: text.trim(), takenSource: 'tag' });
});

test.each([
  '0000:00:00 00:00:00',
  '    :  :     :  :  ',
  '2026:13:01 00:00:00',
  '2023:02:29 10:00:00',
  '2026:07:14 24:00:00',
  '2026:07:14 10:61:00',
  '9999:12:31 23:59:59',
  '1825:12:31 00:00:00',
  '2019',
  'yesterday',
  '2026:07:14 10:00:00; drop table',
  '2026:07:14 10:00:00.1234567890123',
])('%s is no date, and the next tag counts', (text) => {
  expect(date(text).takenAt).toBeNull();
  const next = { source: 'next', text: '2020:01:02 03:04:05' };
  expect(findDate([{ source: 'tag', text }, next])).toMatchObject({ takenSource: 'next' });
});

test('the time of satellites says the zone of a clock that is about right, and of no other', () => {
  const local = date('2026:07:14 21:12:08');
  const ahead = (hours: number) => Date.parse('2026-07-14T21:12:08Z') - hours * 3_600_000;
  expect(withZoneOf(local, ahead(2) + 40_000)).toMatchObject({
    takenAt: '2026-07-14T19:12:08.000Z',
    takenZone: '+02:00',
  });
  expect(withZoneOf(local, ahead(-3.5))).toMatchObject({ takenAt: '2026-07-15T00:42:08.000Z', takenZone: '-03:30' });
  for (const hours of [2.1, 15, NaN]) expect(withZoneOf(local, ahead(hours))).toEqual(local);
  expect(withZoneOf(date('2026:07:14 21:12:08', '+01:00'), ahead(2)).takenZone).toBe('+01:00');
});

test('texts are one line of at most 200 characters, and positions are on the earth', () => {
  expect(cleanText('  Nikon\0\n\u0007D850\u202E ')).toBe('Nikon D850');
  expect(cleanText('\uD800x\uFFFD')).toBe('x');
  expect(cleanText('🙂'.repeat(1000))).toBe('🙂'.repeat(200));
  for (const nothing of ['', '\0\0', 7, null, {}]) expect(cleanText(nothing)).toBeNull();
  expect(position(-90, 180)).toEqual({ latitude: -90, longitude: 180 });
  for (const [latitude, longitude] of [
    [90.1, 0],
    [0, -181],
    [NaN, 1],
    [1, Infinity],
    [0, 0],
    ['1', 1],
  ] as const) {
    expect(position(latitude, longitude)).toEqual({ latitude: null, longitude: null });
  }
});

const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:City="Hamburg" photoshop:Country="Germany"/>
</rdf:RDF></x:xmpmeta>`;

describe('images', () => {
  test.each(['jpg', 'png', 'webp', 'avif', 'tiff'])(
    'a %s says when, where and with what it was taken',
    async (ending) => {
      await using folder = await temporaryFolder();
      const file = folder.file(`photo.${ending}`);
      await makePhoto(folder.file('plain.png'), plain(10, 20, 30));
      const exif = {
        IFD0: { Make: 'NIKON CORPORATION', Model: 'NIKON D850', DateTime: '2026:08:01 10:00:00' },
        IFD2: {
          DateTimeOriginal: '2026:07:14 21:12:08',
          OffsetTimeOriginal: '+02:00',
          SubSecTimeOriginal: '5',
          ExposureTime: '1/200',
          FNumber: '28/10',
          ISOSpeedRatings: '400',
          FocalLength: '50/1',
          LensModel: 'NIKKOR 50mm',
        },
        IFD3: {
          GPSLatitudeRef: 'S',
          GPSLatitude: '53/1 32/1 45/1',
          GPSLongitudeRef: 'W',
          GPSLongitude: '9/1 58/1 10/1',
        },
      };
      await sharp(folder.file('plain.png')).withExif(exif).withXmp(xmp).toFile(file);
      const mimeType = (await detectMediaType(file))?.mimeType ?? '';
      const { recording, details } = await readImageTags(file, mimeType);
      // What libvips writes into a TIFF has no EXIF.
      const hasExif = ending !== 'tiff';
      if (hasExif) {
        expect(recording).toMatchObject({
          takenAt: '2026-07-14T19:12:08.500Z',
          takenZone: '+02:00',
          takenText: '2026:07:14 21:12:08',
          takenSource: 'EXIF DateTimeOriginal',
          camera: 'NIKON D850',
        });
        expect(recording.latitude).toBeCloseTo(-53.5458, 3);
        expect(recording.longitude).toBeCloseTo(-9.9694, 3);
        expect(details.image).toMatchObject({
          lens: 'NIKKOR 50mm',
          exposure_time: 0.005,
          f_number: 2.8,
          iso: 400,
          focal_length: 50,
        });
      }
      expect(recording.place).toBe('Hamburg, Germany');
      expect(details.image).toMatchObject({ bit_depth: 8 });
    },
  );

  test('a picture without tags has no date, and a damaged block is none', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('photo.jpg');
    await makePhoto(file, plain(10, 20, 30));
    const nothing = { takenAt: null, takenZone: null, takenText: null, takenSource: null, camera: null, place: null };
    expect((await readImageTags(file, 'image/jpeg')).recording).toMatchObject(nothing);
    const picture = await sharp(file).toBuffer();
    const withBlock = (block: Buffer) => {
      const head = Buffer.from([0xff, 0xe1, (block.length + 2) >> 8, (block.length + 2) & 0xff]);
      return Buffer.concat([picture.subarray(0, 2), head, block, picture.subarray(2)]);
    };
    for (const block of hostileBlocks()) {
      await writeFile(file, withBlock(block));
      const tags = await readImageTags(file, 'image/jpeg');
      expect(tags.recording).toMatchObject({ takenAt: null, latitude: null, longitude: null });
      expect(JSON.stringify(tags).length).toBeLessThan(2000);
    }
  });
});

/** EXIF blocks that lie about their lengths, refer to themselves, or hold too much. */
function hostileBlocks(): Buffer[] {
  const block = (entries: [tag: number, type: number, count: number, value: number][], rest = Buffer.alloc(0)) => {
    const head = Buffer.from('Exif\0\0II*\0\x08\0\0\0\0\0', 'latin1');
    head.writeUInt16LE(entries.length, 14);
    const fields = entries.map(([tag, type, count, value]) => {
      const field = Buffer.alloc(12);
      field.writeUInt16LE(tag, 0);
      field.writeUInt16LE(type, 2);
      field.writeUInt32LE(count, 4);
      field.writeUInt32LE(value, 8);
      return field;
    });
    return Buffer.concat([head, ...fields, Buffer.alloc(4), rest]);
  };
  const many = Array.from({ length: 5000 }, () => [0x010f, 2, 60_000, 8] as [number, number, number, number]);
  return [
    Buffer.from('Exif\0\0'),
    Buffer.from('Exif\0\0II*\0\xff\xff\xff\xff', 'latin1'),
    // The pointers to other directories lead back to this one.
    block([
      [0x8769, 4, 1, 8],
      [0x8825, 4, 1, 8],
      [0xa005, 4, 1, 8],
    ]),
    block([[0x9003, 2, 0xffff_ffff, 8]]),
    block(many, Buffer.alloc(2000, 0xff)),
    block([[0x0110, 2, 1000, 26]], Buffer.alloc(1000, 0x1b)),
    // A position whose fractions are divided by nothing.
    block(
      [[0x8825, 4, 1, 26]],
      block([
        [2, 5, 3, 100],
        [4, 5, 3, 100],
      ]).subarray(14),
    ),
  ];
}

/** Takes a video over into a container with tags. */
async function writeTagged(source: string, target: string, tags: Record<string, string>): Promise<void> {
  await using demuxer = await Demuxer.open(source);
  const video = demuxer.video();
  if (!video) throw new Error('There is no video stream.');
  await using output = await Muxer.open(target, {
    // Without it the muxer knows few tags.
    options: target.endsWith('.mov') ? { movflags: 'use_metadata_tags' } : {},
    configure: (context) => {
      context.metadata = Dictionary.fromObject(tags);
    },
  });
  const place = output.addStream(video);
  for await (using packet of demuxer.packets(video.index)) if (packet) await output.writePacket(packet, place);
}

test.each([
  ['s', 'w', [-53.5, -9.25]],
  ['South', 'East', [-53.5, 9.25]],
  ['N', 'W', [53.5, -9.25]],
  ['X', 'E', null],
] as const)('a position towards %s and %s has their signs', async (north, east, expected) => {
  await using folder = await temporaryFolder();
  const file = folder.file('photo.jpg');
  await makePhoto(folder.file('plain.png'), plain(10, 20, 30));
  const place = { GPSLatitude: '53/1 30/1 0/1', GPSLongitude: '9/1 15/1 0/1' };
  await sharp(folder.file('plain.png'))
    .withExif({ IFD3: { ...place, GPSLatitudeRef: north, GPSLongitudeRef: east } })
    .toFile(file);
  const { latitude, longitude } = (await readImageTags(file, 'image/jpeg')).recording;
  expect(latitude === null ? null : [latitude, longitude]).toEqual(expected);
});

describe('videos', () => {
  test('a video says when, where and with what it was recorded, by its most exact tag', async () => {
    await using folder = await temporaryFolder();
    const plainVideo = folder.file('plain.mp4');
    await makeVideo(plainVideo, { scenes: [{ paint: plain(10, 20, 30), seconds: 0.4 }] });
    const read = async (name: string, tags: Record<string, string>) => {
      const file = folder.file(name);
      await writeTagged(plainVideo, file, tags);
      await using probed = await probeVideo(file, new AbortController().signal);
      return readVideoTags(probed, (await detectMediaType(file))?.mimeType ?? '');
    };
    const phone = await read('phone.mov', {
      creation_time: '2026-07-14T19:12:10Z',
      'com.apple.quicktime.creationdate': '2026-07-14T21:12:08+0200',
      'com.apple.quicktime.location.ISO6709': '+53.5459+009.9695+012.300/',
      'com.apple.quicktime.make': 'Apple',
      'com.apple.quicktime.model': 'iPhone 15',
    });
    expect(phone.recording).toEqual({
      takenAt: '2026-07-14T19:12:08.000Z',
      takenZone: '+02:00',
      takenText: '2026-07-14T21:12:08+0200',
      takenSource: 'QuickTime creationdate',
      camera: 'Apple iPhone 15',
      latitude: 53.5459,
      longitude: 9.9695,
      place: null,
    });
    expect(phone.details).toMatchObject({
      container: 'QuickTime',
      video: { codec: 'h264', frame_rate: 25, pixel_format: 'yuv420p' },
      audio_tracks: 0,
      subtitle_tracks: 0,
    });
    expect((await read('camera.mp4', { creation_time: '2026-07-14T19:12:10Z' })).recording).toMatchObject({
      takenAt: '2026-07-14T19:12:10.000Z',
      takenZone: '+00:00',
      takenSource: 'creation_time',
    });
    expect((await read('film.mkv', { DATE_RECORDED: '2020-02-03 10:00:00' })).recording).toMatchObject({
      takenAt: '2020-02-03T10:00:00.000Z',
      takenZone: null,
      takenSource: 'Matroska DATE_RECORDED',
    });
    for (const creation_time of ['1904-01-01T00:00:00Z', '1970-01-01T00:00:00Z']) {
      const { recording } = await read('no-clock.mkv', { creation_time, location: '+91.0+181.0/' });
      expect(recording).toMatchObject({ takenAt: null, takenText: null, latitude: null, longitude: null });
    }
    for (const [location, latitude, longitude] of [
      ['+5332.754-00958.170/', 53.5459, -9.9695],
      ['-533245.24+0095810.2+012.3CRSWGS_84/', -53.5459, 9.9695],
      ['+90.0000-180.0000/', 90, -180],
      ['+53.5459+9.9695', 53.5459, 9.9695],
      ['+5360.000+00958.170/', null, null],
      ['+533+009.9695/', null, null],
      ['53.5459 9.9695', null, null],
    ] as const) {
      const near = (value: number | null) => (value === null ? null : (expect.closeTo(value, 4) as number));
      const { recording } = await read('placed.mkv', { location });
      expect(recording, location).toMatchObject({ latitude: near(latitude), longitude: near(longitude) });
    }
  });
});
