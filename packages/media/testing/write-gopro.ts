import { Demuxer, Muxer } from 'node-av/api';
import { AV_CODEC_ID_BIN_DATA, AVMEDIA_TYPE_DATA } from 'node-av/constants';
import { Dictionary, Packet } from 'node-av/lib';

/** Entries of GPMF: of samples of numbers or letters, and of other entries. @see https://github.com/gopro/gpmf-parser */
export function gpmf(key: string, type: string, size: number, data: Buffer): Buffer {
  const head = Buffer.concat([Buffer.from(key + type, 'latin1'), Buffer.from([size, 0, 0])]);
  head.writeUInt16BE(data.length / size, 6);
  return Buffer.concat([head, data, Buffer.alloc((4 - (data.length % 4)) % 4)]);
}

export const nest = (key: string, ...entries: Buffer[]): Buffer => gpmf(key, '\0', 1, Buffer.concat(entries));

const longs = (...values: number[]): Buffer => {
  const data = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) data.writeInt32BE(Math.round(value), 4 * i);
  return data;
};

const shorts = (...values: number[]): Buffer => {
  const data = Buffer.alloc(2 * values.length);
  for (const [i, value] of values.entries()) data.writeUInt16BE(value, 2 * i);
  return data;
};

/**
 * A second of a HERO5 to HERO10.
 * @param fix 0: it has no position; 2 or 3: the dimensions of its position
 * @param dilution of precision, hundredths
 */
export const gps5 = (latitude: number, longitude: number, fix: number, dilution = 150): Buffer =>
  nest(
    'STRM',
    gpmf('STNM', 'c', 1, Buffer.from('GPS (Lat., Long., Alt., 2D speed, 3D speed)')),
    gpmf('GPSF', 'L', 4, longs(fix)),
    gpmf('GPSP', 'S', 2, shorts(dilution)),
    gpmf('SCAL', 'l', 4, longs(1e7, 1e7, 1000, 1000, 100)),
    gpmf('GPS5', 'l', 20, longs(latitude * 1e7, longitude * 1e7, 15_000, 0, 0)),
  );

/** A second of a HERO11 or later: latitude, longitude, fix and dilution of each sample. */
export const gps9 = (...samples: [latitude: number, longitude: number, fix: number, dilution?: number][]): Buffer =>
  nest(
    'STRM',
    gpmf('TYPE', 'c', 1, Buffer.from('lllllllSS')),
    gpmf('SCAL', 'l', 4, longs(1e7, 1e7, 1000, 1000, 100, 1, 1000, 100, 1)),
    gpmf(
      'GPS9',
      '?',
      32,
      Buffer.concat(
        samples.flatMap(([latitude, longitude, fix, dilution = 150]) => [
          longs(latitude * 1e7, longitude * 1e7, 15_000, 0, 0, 9000, 1),
          shorts(dilution, fix),
        ]),
      ),
    ),
  );

export const device = (name: string, ...streams: Buffer[]): Buffer =>
  nest('DEVC', gpmf('DVID', 'L', 4, longs(1)), gpmf('DVNM', 'c', 1, Buffer.from(name)), ...streams);

/** Writes the pictures of a video to a file with a track of telemetry, one packet beside each of its first frames. */
export async function writeGoPro(
  source: string,
  target: string,
  seconds: Buffer[],
  tags: Record<string, string> = {},
): Promise<void> {
  await using demuxer = await Demuxer.open(source);
  const video = demuxer.video();
  if (!video) throw new Error('There is no video stream.');
  await using output = await Muxer.open(target, {
    options: { movflags: 'use_metadata_tags' },
    configure: (context) => {
      context.metadata = Dictionary.fromObject(tags);
    },
  });
  const [pictures, telemetry] = [output.addStream(video), output.addStream(video)];
  const track = output.getStream(telemetry)?.codecpar;
  if (!track) throw new Error('There is no track for telemetry.');
  track.codecType = AVMEDIA_TYPE_DATA;
  track.codecId = AV_CODEC_ID_BIN_DATA;
  track.codecTag = 'gpmd';
  let written = 0;
  for await (using packet of demuxer.packets(video.index)) {
    if (!packet) continue;
    const { duration, timeBase } = packet;
    await output.writePacket(packet, pictures);
    const data = seconds[written];
    if (data === undefined) continue;
    using second = new Packet();
    second.alloc();
    second.data = data;
    const at = BigInt(written++) * duration;
    Object.assign(second, { pts: at, dts: at, duration, timeBase, isKeyframe: true });
    await output.writePacket(second, telemetry);
  }
}
