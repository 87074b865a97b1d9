import { open } from 'node:fs/promises';

/** A block of a track. `at`: milliseconds. */
type Block = { track: number; at: number; data: Buffer };

/** A track of a Matroska file. `type`: 1 for video, 2 for audio, 17 for subtitles. */
type Track = { type: 1 | 2 | 17; codec: string; body: Buffer[]; private?: Buffer };

/** Opus of 120 ms of silence: two empty frames of 60 ms (RFC 6716, 3.1). */
export const silentOpus = Buffer.from([0x59]);
export const silentOpusMilliseconds = 120;

/** The tracks of the files that `writeMatroska` writes: JPEG pictures, Opus, and texts. */
export const jpegTrack = (width: number, height: number): Track => ({
  type: 1,
  codec: 'V_MJPEG',
  body: [element(0xe0, element(0xb0, number(width)), element(0xba, number(height)))],
});

export const opusTrack: Track = {
  type: 2,
  codec: 'A_OPUS',
  // RFC 7845, 5.1: version, channels, no delay, 48 kHz, no gain, one stream.
  private: Buffer.from([...Buffer.from('OpusHead'), 1, 1, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0]),
  body: [element(0xe1, element(0xb5, float(48_000)), element(0x9f, number(1)))],
};

export const subtitleTrack: Track = { type: 17, codec: 'S_TEXT/UTF8', body: [] };

/** Blocks of one cluster may be this far apart, milliseconds. */
const clusterMilliseconds = 30_000;

/** Writes a Matroska file of blocks as they are given (RFC 9559): small ones that claim much, which no encoder writes. */
export async function writeMatroska(file: string, tracks: Track[], blocks: Iterable<Block>): Promise<void> {
  await using output = await open(file, 'w');
  await output.write(
    Buffer.concat([
      element(
        0x1a45dfa3,
        element(0x4282, Buffer.from('matroska')),
        element(0x4287, number(4)),
        element(0x4285, number(2)),
      ),
      // A segment of unknown size.
      Buffer.from([0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
      element(0x1549a966, element(0x2ad7b1, number(1_000_000))),
      element(0x1654ae6b, ...tracks.map(describeTrack)),
    ]),
  );
  let start = 0;
  let cluster: Buffer[] = [];
  async function flush(): Promise<void> {
    if (cluster.length > 0) await output.write(element(0x1f43b675, element(0xe7, number(start)), ...cluster));
    cluster = [];
  }
  for (const { track, at, data } of blocks) {
    if (cluster.length === 0 || at - start > clusterMilliseconds) {
      await flush();
      start = at;
    }
    const head = Buffer.from([0x80 | track, 0, 0, 0x80]);
    head.writeInt16BE(at - start, 1);
    cluster.push(element(0xa3, head, data));
  }
  await flush();
}

function describeTrack({ type, codec, body, private: secret }: Track, i: number): Buffer {
  const parts = [element(0xd7, number(i + 1)), element(0x73c5, number(i + 1)), element(0x83, number(type))];
  if (secret) parts.push(element(0x63a2, secret));
  return element(0xae, ...parts, element(0x86, Buffer.from(codec)), ...body);
}

/** An element of EBML (RFC 8794). */
function element(id: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 127 ? Buffer.from([0x80 | length]) : Buffer.from([0x10, 0, 0, 0]);
  if (length >= 127) size.writeUInt32BE((0x10000000 | length) >>> 0);
  return Buffer.concat([number(id), size, content]);
}

/** An unsigned number in as few bytes as it needs. */
function number(value: number): Buffer {
  const length = Math.max(1, Math.ceil(Math.log2(value + 1) / 8));
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}
