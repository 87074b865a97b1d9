import path from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import {
  makeAnimation,
  makeVideo,
  type Paint,
  square,
  type VideoOptions,
} from '../../packages/media/samples/draw-media.ts';
import { startTestService } from '../testing/running-service.ts';

/** What FFmpeg's muxers write, by the endings of file names; small sizes where a codec allows them. */
const containers: [name: string, mimeType: string, options: Omit<VideoOptions, 'scenes'>][] = [
  ['mp4', 'video/mp4', {}],
  ['m4v', 'video/x-m4v', {}],
  ['mov', 'video/quicktime', {}],
  ['3gp', 'video/3gpp', {}],
  ['3g2', 'video/3gpp2', {}],
  ['mkv', 'video/matroska', {}],
  ['webm', 'video/webm', { codec: 'vp8' }],
  ['avi', 'video/vnd.avi', { codec: 'mjpeg' }],
  ['mpg', 'video/mpeg', { codec: 'mpeg1' }],
  ['vob', 'video/mpeg', { codec: 'mpeg2' }],
  ['m2v', 'video/mpeg', { codec: 'mpeg2' }],
  ['ts', 'video/mp2t', {}],
  ['m2ts', 'video/mp2t', {}],
  ['flv', 'video/x-flv', { codec: 'flv' }],
  ['wmv', 'video/x-ms-asf', { codec: 'wmv' }],
  ['ogv', 'video/ogg', { codec: 'theora' }],
  ['mxf', 'application/mxf', { codec: 'mpeg2' }],
  ['rm', 'application/vnd.rn-realmedia', { codec: 'realvideo', width: 176, height: 144 }],
  ['dv', 'video/x-dv', { codec: 'dv', width: 720, height: 576 }],
  ['apng', 'image/apng', { codec: 'apng' }],
];

test('every container is read by its own demuxer, uploaded to the service', async () => {
  await using service = await startTestService({ workers: 2 });
  const { client } = service;
  const file = (ending: string) => path.join(service.folder, `clip.${ending}`);
  // No two frames are alike: some formats leave out what repeats.
  const paint: Paint = (x, y, time) => square([200, 230 * time * 0.8, 90], [200, 20, 20])(x, y, time);
  for (const [ending, , options] of containers) {
    await makeVideo(file(ending), { scenes: [{ paint, seconds: 1.2 }], ...options });
  }
  for (const ending of ['gif', 'webp'])
    await makeAnimation(
      file(ending),
      Array.from({ length: 6 }, (_, i) => square([200, 10 * i, 230], [200, 20, 20])),
    );
  const all = [
    ...containers.map(([ending, mimeType]) => [ending, mimeType]),
    ['gif', 'image/gif'],
    ['webp', 'image/webp'],
  ];
  // One after the other: a workspace may have only so many uploads under way.
  const ids: string[] = [];
  for (const [ending] of all) ids.push((await client.upload(file(ending as string))).data.id);
  const items = await Promise.all(ids.map((id) => client.waitUntilIndexed(id)));
  expect(
    items.map(({ filename, mime_type, type, status, error }) => [filename, mime_type, type, status, error?.message]),
  ).toEqual(all.map(([ending, mimeType]) => [`clip.${ending}`, mimeType, 'video', 'complete', undefined]));
  for (const { filename, duration, thumbnail } of items) {
    expect(duration, filename).toBeGreaterThan(1);
    expect(duration, filename).toBeLessThan(1.5);
    const image = await (await fetch(thumbnail as string)).arrayBuffer();
    const [r = 0, g = 0, b = 0] = await sharp(image)
      .resize(9, 9)
      .extract({ left: 0, top: 0, width: 1, height: 1 })
      .raw()
      .toBuffer();
    expect(
      [r, g, b].every((value, i) => Math.abs(value - [200, 20, 20][i]!) < 40),
      `${filename}: ${r} ${g} ${b}`,
    ).toBe(true);
  }
});
