import { Decoder, Demuxer, FilterAPI } from 'node-av/api';
import { drawImage, encodeVideo, type Paint } from '../samples/draw-media.ts';

const bits = 8;

/** A number as a row of bright and dark bars, the lowest bit on the left. */
const numbered =
  (value: number): Paint =>
  (x) =>
    (value >> Math.min(bits - 1, Math.floor(x * bits))) & 1 ? [235, 235, 235] : [16, 16, 16];

/** The number that an image shows. */
export function readNumber(row: Uint8Array): number {
  let value = 0;
  for (let bit = 0; bit < bits; bit++) {
    if ((row[Math.floor(((bit + 0.5) / bits) * row.length)] as number) > 128) value |= 1 << bit;
  }
  return value;
}

/**
 * Encodes a video whose frames show their number, 0 to 255.
 * @param options.places ticks at which the frames are shown; by default one each
 */
export async function makeNumbered(
  file: string,
  count: number,
  { places, ...options }: Parameters<typeof encodeVideo>[2] & { places?: number[] } = {},
): Promise<void> {
  function* draw() {
    for (let i = 0; i < count; i++) yield { image: drawImage(numbered(i), 160, 90), pts: places?.[i] ?? i };
  }
  await encodeVideo(file, draw(), { width: 160, height: 90, ...options });
}

/** The frames of a video: their numbers, and when they are shown, seconds. */
export async function readNumbers(file: string): Promise<{ numbers: number[]; times: number[] }> {
  await using demuxer = await Demuxer.open(file);
  const video = demuxer.video();
  if (!video) throw new Error('There is no video stream.');
  using decoder = await Decoder.create(video);
  using toRow = FilterAPI.create('scale=64:1:flags=area,format=gray');
  const read = { numbers: [] as number[], times: [] as number[] };
  for await (using frame of decoder.frames(demuxer.packets(video.index))) {
    if (!frame) continue;
    read.times.push((Number(frame.pts) * frame.timeBase.num) / frame.timeBase.den);
    for (using row of await toRow.processAll(frame)) read.numbers.push(readNumber(row.toBuffer()));
  }
  return read;
}
