import type { Packet, Stream } from 'node-av/lib';
import { cleanText, nameCamera, position, type Recording } from './file-tags.ts';

/**
 * The telemetry of a GoPro: a data track of GPMF, a packet for each second. Of it, the position and the name of the camera are read, which most of these videos say nowhere
 * else. The library that reads GPMF (`gopro-telemetry`) follows nested entries as deep as a file says, and does not end on some of 500 bytes; here two levels are read.
 * @see https://github.com/gopro/gpmf-parser
 */

type Position = Pick<Recording, 'latitude' | 'longitude'>;

/** What a camera recorded of itself; null where it recorded nothing. */
export type Telemetry = Position & Pick<Recording, 'camera'>;

type Entry = { key: string; type: string; size: number; repeat: number; data: Buffer };

/** A longer packet is not telemetry, bytes. Real ones have up to 25,000. */
const maxPacketBytes = 2 ** 16;
/** Packets that are read for a position, at most: some 16 minutes. */
const maxPackets = 1000;
/** Entries of a level, at most. A device has about 20 streams. */
const maxEntries = 500;
/** The fixes of a receiver that has a position: in two and in three dimensions. */
const fixes = new Set([2, 3]);
/** A position with a greater dilution of precision may be off by hundreds of metres. Hundredths. */
const maxDilution = 2000;

/** The entries of a level, as far as they are whole: a key, a type, the size of a sample and how many there are, and the samples, filled up to 4 bytes. */
function readEntries(data: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + 8 <= data.length && entries.length < maxEntries;) {
    const [size, repeat] = [data.readUInt8(at + 5), data.readUInt16BE(at + 6)];
    const end = at + 8 + size * repeat;
    if (end > data.length) break;
    const [key, type] = [data.toString('latin1', at, at + 4), data.toString('latin1', at + 4, at + 5)];
    entries.push({ key, type, size, repeat, data: data.subarray(at + 8, end) });
    at = Math.ceil(end / 4) * 4;
  }
  return entries;
}

const nested = '\0';
const entriesWithin = ({ type, data }: Entry): Entry[] => (type === nested ? readEntries(data) : []);

/** The first entry of a key whose samples have a type and a size. */
const findEntry = (entries: Entry[], key: string, type: string, size: number): Entry | undefined =>
  entries.find((entry) => entry.key === key && entry.type === type && entry.size === size && entry.repeat > 0);

/** A sample of a position, with its fix and its dilution of precision. */
type Sample = { data: Buffer; fix: number; dilution: number };

/** The samples of a stream: GPS9 (HERO11 and later) has fix and dilution in each, GPS5 (HERO5 to HERO11) beside them. */
function readSamples(entries: Entry[]): Sample[] {
  const [gps9, gps5] = [findEntry(entries, 'GPS9', '?', 32), findEntry(entries, 'GPS5', 'l', 20)];
  const { repeat, size, data } = gps9 ?? gps5 ?? { repeat: 0, size: 0, data: Buffer.alloc(0) };
  const fix = findEntry(entries, 'GPSF', 'L', 4)?.data.readUInt32BE(0) ?? 0;
  const dilution = findEntry(entries, 'GPSP', 'S', 2)?.data.readUInt16BE(0) ?? 0;
  return Array.from({ length: repeat }, (_, i) => {
    const sample = data.subarray(i * size, (i + 1) * size);
    return gps9
      ? { data: sample, dilution: sample.readUInt16BE(28), fix: sample.readUInt16BE(30) }
      : { data: sample, dilution, fix };
  });
}

/** The first good position of a stream; null where it has none. */
function positionIn(entries: Entry[]): Position | null {
  const scale = findEntry(entries, 'SCAL', 'l', 4)?.data;
  if (!scale) return null;
  // One number is for all fields of a sample.
  const [north, east] = [scale.readInt32BE(0), scale.readInt32BE(scale.length > 4 ? 4 : 0)];
  for (const { data, fix, dilution } of readSamples(entries)) {
    if (!fixes.has(fix) || dilution > maxDilution) continue;
    const found = position(data.readInt32BE(0) / north, data.readInt32BE(4) / east);
    if (found.latitude !== null) return found;
  }
  return null;
}

/** What HERO5 calls itself. */
const unnamed = 'Camera';

/** What a second of telemetry says. The name is that of the first device, the position that of the first that has one. */
function readTelemetry(data: Buffer): { camera: string | null; found: Position | null } {
  const devices = readEntries(data)
    .filter(({ key }) => key === 'DEVC')
    .map(entriesWithin);
  const name = cleanText(devices[0]?.find(({ key }) => key === 'DVNM')?.data.toString('latin1'));
  const streams = devices.flat().filter(({ key }) => key === 'STRM');
  const [found = null] = streams.flatMap((stream) => positionIn(entriesWithin(stream)) ?? []);
  return { camera: devices.length > 0 ? nameCamera('GoPro', name === unnamed ? null : name) : null, found };
}

/** Collects from the packets of a video what its camera recorded of itself; nothing where it has no telemetry. */
export function createTelemetryReader(streams: Stream[]) {
  const track = streams.find(({ codecpar }) => codecpar.codecTagString === 'gpmd')?.index;
  let left = maxPackets;
  const telemetry: Telemetry = { camera: null, ...position(null, null) };
  return {
    telemetry,
    /** Takes a packet of any track. */
    push(packet: Packet): void {
      if (packet.streamIndex !== track || telemetry.latitude !== null || left === 0) return;
      const { data } = packet;
      if (!data || data.length > maxPacketBytes) return;
      left -= 1;
      const { camera, found } = readTelemetry(data);
      telemetry.camera ??= camera;
      Object.assign(telemetry, found);
    },
  };
}
