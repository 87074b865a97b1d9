import { Encoder, FilterAPI, Muxer } from 'node-av/api';
import { AV_PIX_FMT_RGB48LE, AVCOL_SPC_BT709, AVCOL_TRC_BT709, type FFEncoderCodec } from 'node-av/constants';
import { Frame } from 'node-av/lib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { probeVideo } from '../media/probe-video.ts';
import { readMoments } from '../media/seek-moments.ts';
import { temporaryFolder } from '../media/testing/temporary-folder.ts';
import { indexFile } from './testing/index-file.ts';

const { signal } = new AbortController();

/** Encodes half a second whose pixels (0..1 for red, green, blue) a function gives by place and number of the frame. */
async function encodePixels(
  file: string,
  encoderName: string,
  filters: string,
  pixel: (x: number, y: number, frame: number) => number[],
  {
    width = 192,
    height = 64,
    options = {},
  }: { width?: number; height?: number; options?: Record<string, string> } = {},
): Promise<void> {
  using filter = FilterAPI.create(filters);
  using encoder = await Encoder.create(encoderName as FFEncoderCodec, { filter, bitrate: '4M', options });
  await using output = await Muxer.open(file);
  const place = output.addStream(encoder);
  for (let i = 0; i < 12; i++) {
    const data = Buffer.alloc(width * height * 6);
    for (let at = 0; at < width * height; at++) {
      for (const [channel, value] of pixel(at % width, Math.floor(at / width), i).entries()) {
        data.writeUInt16LE(Math.round(value * 65_535), 6 * at + 2 * channel);
      }
    }
    using frame = Frame.fromVideoBuffer(data, {
      width,
      height,
      format: AV_PIX_FMT_RGB48LE,
      timeBase: { num: 1, den: 24 },
      pts: BigInt(i),
    });
    for (using drawn of await filter.processAll(frame)) {
      for (using packet of await encoder.encodeAll(drawn)) await output.writePacket(packet, place);
    }
  }
  for (using packet of await encoder.encodeAll(null)) await output.writePacket(packet, place);
}

/** Indexes a file. Returns a look into its thumbnail and one into what browsers play, by place in pixels. */
async function look(file: string, folder: { path: string; file(name: string): string }) {
  const { poster, rendition } = await indexFile(file, folder.path, { signal });
  const played = rendition ? folder.file(rendition.file) : file;
  const [moment] = await readMoments(played, [0.2], signal);
  const at = (bytes: Uint8Array, width: number) => (x: number, y: number) => [
    ...bytes.subarray(3 * (y * width + x), 3 * (y * width + x) + 3),
  ];
  const image = moment!.image;
  // The poster is larger than what embedders see.
  const data = await sharp(folder.file(poster))
    .resize({ width: image.width, height: image.height, fit: 'fill', kernel: 'nearest' })
    .removeAlpha()
    .raw()
    .toBuffer();
  return {
    rendition: rendition ? played : null,
    size: { width: image.width, height: image.height },
    looks: [at(data, image.width), at(image.data, image.width)],
  };
}

/** Display luminance, cd/m², to a signal of SMPTE ST 2084 (PQ). */
function toPq(luminance: number): number {
  const power = (luminance / 10_000) ** 0.1593017578125;
  return ((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power)) ** 78.84375;
}

/** Display luminance, cd/m², to a signal of ARIB STD-B67 (HLG) on a display of 1,000 cd/m². */
function toHlg(luminance: number): number {
  const scene = (luminance / 1000) ** (1 / 1.2);
  return scene <= 1 / 12 ? Math.sqrt(3 * scene) : 0.17883277 * Math.log(12 * scene - 0.28466892) + 0.55991073;
}

test.each([
  ['PQ', 'smpte2084', toPq],
  ['HLG', 'arib-std-b67', toHlg],
] as const)('HDR in %s becomes what a common screen shows', async (_, transfer, encode) => {
  await using folder = await temporaryFolder();
  const file = folder.file('a.mp4');
  // Diffuse white, a grey of 18 %, and a red, in light of BT.2020.
  const patches = [
    [203, 203, 203],
    [36.5, 36.5, 36.5],
    [120, 5, 5],
  ];
  await encodePixels(
    file,
    'libx265',
    `scale=out_color_matrix=bt2020:out_range=tv,format=yuv420p10le,setparams=colorspace=bt2020nc:color_primaries=bt2020:color_trc=${transfer}:range=tv`,
    (x) => (patches[Math.floor(x / 64)] ?? []).map(encode),
  );
  const { looks, rendition } = await look(file, folder);
  for (const at of looks) {
    const [white = 0] = at(32, 32);
    const [grey = 0] = at(96, 32);
    const [red = 0, green = 0, blue = 0] = at(160, 32);
    // Without tone mapping white is at 148 (PQ) or 191 (HLG), grey at 105 or 106.
    expect(white).toBeGreaterThan(205);
    expect(grey).toBeGreaterThan(110);
    expect(grey).toBeLessThan(140);
    expect(red).toBeGreaterThan(170);
    expect(Math.max(green, blue)).toBeLessThan(40);
  }
  await using probed = await probeVideo(rendition!, signal);
  expect(probed.video.codecpar).toMatchObject({ colorSpace: AVCOL_SPC_BT709, colorTrc: AVCOL_TRC_BT709 });
});

const tags = (matrix: string) => `setparams=colorspace=${matrix}:color_primaries=bt709:color_trc=bt709`;

test.each([
  ['BT.709', `scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,${tags('bt709')}:range=tv`, 64],
  ['BT.601', `scale=out_color_matrix=bt601:out_range=tv,format=yuv420p,${tags('smpte170m')}:range=tv`, 64],
  [
    'BT.601 in full range',
    `scale=out_color_matrix=bt601:out_range=pc,format=yuvj420p,${tags('smpte170m')}:range=pc`,
    64,
  ],
  ['no matrix, small', 'scale=out_color_matrix=bt601:out_range=tv,format=yuv420p,setparams=colorspace=unknown', 64],
  ['no matrix, high', 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,setparams=colorspace=unknown', 720],
])('colours are those that were filmed: %s', async (_, filters, height) => {
  const patches = [
    [0.8, 0.1, 0.1],
    [0.1, 0.6, 0.2],
    [0.9, 0.9, 0.9],
  ];
  for (const encoder of ['libx264', 'libx265']) {
    await using folder = await temporaryFolder();
    const file = folder.file('a.mp4');
    await encodePixels(file, encoder, filters, (x) => patches[Math.floor(x / 64)] ?? [], { height });
    const { looks, size } = await look(file, folder);
    for (const at of looks) {
      for (const [i, patch] of patches.entries()) {
        const found = at(Math.floor(((i + 0.5) * size.width) / 3), size.height >> 1);
        for (const [channel, value] of patch.entries()) {
          expect(Math.abs((found[channel] ?? 0) - 255 * value), `${encoder} ${i}: ${found.join()}`).toBeLessThan(12);
        }
      }
    }
  }
});

test.each([
  ['MPEG-2', 'a.mpg', 'mpeg2video', { flags: '+ildct+ilme' }],
  ['H.264 that browsers would play', 'a.mp4', 'libx264', { flags: '+ildct+ilme' }],
])('interlaced fields are taken apart: %s', async (_, name, encoder, options) => {
  await using folder = await temporaryFolder();
  const file = folder.file(name);
  // A bar that moves to the right, in the second field of each frame further than in the first.
  const bar = (x: number, y: number, i: number) => {
    const left = 16 * i + (y % 2) * 8;
    return Array<number>(3).fill(x >= left && x < left + 40 ? 1 : 0);
  };
  await encodePixels(file, encoder, 'format=yuv420p,setfield=tff', bar, { options });
  const { looks, rendition } = await look(file, folder);
  expect(rendition).not.toBeNull();
  for (const at of looks) {
    const torn = Array.from({ length: 192 }, (_column, x) => x).filter(
      (x) => Math.abs((at(x, 30)[0] ?? 0) - (at(x, 31)[0] ?? 0)) > 80,
    );
    expect(torn.length).toBeLessThan(6);
  }
});

test('an odd size keeps its last column and row', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('a.mkv');
  const edge = (x: number, y: number) => (x >= 159 || y >= 89 ? [1, 1, 1] : [0, 0, 0]);
  await encodePixels(file, 'ffv1', 'format=yuv444p', edge, { width: 161, height: 91 });
  const { looks, size } = await look(file, folder);
  expect(size).toEqual({ width: 162, height: 92 });
  const [thumbnail, played] = looks;
  expect(thumbnail?.(160, 40)[0]).toBeGreaterThan(200);
  expect(played?.(161, 40)[0]).toBeGreaterThan(200);
  expect(played?.(80, 91)[0]).toBeGreaterThan(200);
  expect(played?.(80, 40)[0]).toBeLessThan(40);
});
