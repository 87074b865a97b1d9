import { expect, test } from 'vitest';
import { createTelemetryReader } from './gopro-telemetry.ts';
import { openDemuxer } from './open-demuxer.ts';
import { makeVideo, plain } from './samples/draw-media.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import { device, gpmf, gps5, gps9, nest, writeGoPro } from './testing/write-gopro.ts';

/** What is read of a video with these packets of telemetry. */
async function read(...seconds: Buffer[]) {
  await using folder = await temporaryFolder();
  await makeVideo(folder.file('plain.mp4'), { scenes: [{ paint: plain(20, 40, 200), seconds: 0.4 }] });
  await writeGoPro(folder.file('plain.mp4'), folder.file('a.mp4'), seconds);
  await using opened = await openDemuxer(folder.file('a.mp4'));
  const telemetry = createTelemetryReader(opened.demuxer.streams);
  for await (using packet of opened.demuxer.packets()) if (packet) telemetry.push(packet);
  return telemetry.telemetry;
}

const nowhere = { latitude: null, longitude: null };

test('the position is the first good one, of old and new cameras', async () => {
  const found = await read(
    device('Hero7 Black', gps5(1, 2, 0)),
    device('Hero7 Black', gps5(53.5459, 9.9695, 3)),
    device('Hero7 Black', gps5(3, 4, 3)),
  );
  expect(found).toEqual({ camera: 'GoPro Hero7 Black', latitude: 53.5459, longitude: 9.9695 });
  const samples = gps9([1, 2, 0], [0, 0, 3], [3, 4, 3, 2001], [-33.86, 151.21, 2, 2000]);
  expect(await read(device('HERO11 Black', gps9([1, 2, 0])), device('HERO11 Black', samples))).toEqual({
    camera: 'GoPro HERO11 Black',
    latitude: -33.86,
    longitude: 151.21,
  });
  for (const unsure of [gps9([10, 20, 0]), gps5(10, 20, 3, 9999), gps5(10, 20, 1), gps5(10, 20, -1)])
    expect(await read(device('Hero8 Black', unsure))).toEqual({ camera: 'GoPro Hero8 Black', ...nowhere });
  // What HERO5 says of itself is no name; other devices may stand before the one with a receiver.
  expect(await read(Buffer.concat([device('Camera\0'), device('Gimbal', gps5(10, 20, 3))]))).toEqual({
    camera: 'GoPro',
    latitude: 10,
    longitude: 20,
  });
});

test('other tracks, and telemetry that is cut off, damaged or nested without end, say nothing', async () => {
  const second = device('Hero6 Black', gps5(10, 20, 3));
  const scale = (...bytes: number[]) => gpmf('SCAL', 'l', 4, Buffer.from(bytes));
  const position = gpmf('GPS5', 'l', 20, Buffer.alloc(20, 1));
  const fix = gpmf('GPSF', 'L', 4, Buffer.from([0, 0, 0, 3]));
  const damaged = [
    second.subarray(0, 60),
    Buffer.alloc(100),
    Buffer.alloc(100, 0xff),
    device('Hero6 Black', nest('STRM', fix, scale(0, 0, 0, 0), position)),
    device('Hero6 Black', nest('STRM', fix, position)),
    // Scales and samples of other types.
    device('Hero6 Black', nest('STRM', fix, gpmf('SCAL', 'f', 4, Buffer.from([0x4b, 0x18, 0x96, 0x80])), position)),
    device('Hero6 Black', nest('STRM', fix, scale(0, 0, 0, 1), gpmf('GPS5', 'l', 4, Buffer.alloc(20, 1)))),
    device('Hero6 Black', nest('STRM', scale(0, 0, 0, 1), gpmf('GPS9', '?', 28, Buffer.alloc(56, 1)))),
    device('Hero6 Black', nest('STRM', scale(0, 0, 0, 1), position)),
    device('Hero6 Black', nest('STRM', fix, scale(0, 0, 0, 1), gpmf('GPS5', 'l', 4, Buffer.alloc(4, 1)))),
  ];
  for (const each of damaged) expect(await read(each)).toMatchObject(nowhere);
  // Each entry of two reaches to the end of all: who follows them as deep as they go takes 2 to the power of their number.
  const endless = Buffer.alloc(8 * 4000);
  for (let at = 0; at < endless.length; at += 8) {
    endless.write('DEVC', at, 'latin1');
    endless.writeUInt8(at % 16 === 0 ? 1 : 4, at + 5);
    endless.writeUInt16BE(at % 16 === 0 ? 8 : Math.min(0xffff, Math.floor((endless.length - at - 8) / 4)), at + 6);
  }
  expect(await read(endless)).toMatchObject(nowhere);
  // After what says nothing comes what does.
  expect(await read(...damaged.slice(0, 3), second)).toMatchObject({ latitude: 10, longitude: 20 });
  expect(await read()).toEqual({ camera: null, ...nowhere });
});
