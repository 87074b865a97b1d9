import sharp from 'sharp';
import type { DecodedImage } from './decode-image.ts';
import { probeMedia } from './probe-video.ts';
import { type Reading, readPackets } from './read-packets.ts';

/** More pixels than any cover has: 8000 a side. */
const maxCoverPixels = 64_000_000;
/** Longest side of a cover as it is used, pixels. */
const coverSide = 1280;

/**
 * Reads the picture that a file brings with it to stand for it, such as the cover of a record.
 * @returns null where there is none, or none that can be decoded: it is no reason to index nothing
 */
export async function readCover(path: string, reading: Reading): Promise<DecodedImage | null> {
  const bytes = await readCoverBytes(path, reading);
  if (!bytes) return null;
  try {
    const image = sharp(bytes, { limitInputPixels: maxCoverPixels, failOn: 'truncated' });
    const { data, info } = await image
      .autoOrient()
      .resize({ width: coverSide, height: coverSide, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    return { width, height, channels, data, full: { width, height } };
  } catch {
    return null;
  }
}

/** Demuxers give the picture first, as the only packet of its stream. The stream's own `attachedPic` ends the process (node-av 6.1.1). */
async function readCoverBytes(path: string, reading: Reading): Promise<Buffer | null> {
  await using probed = await probeMedia(path, reading.signal);
  const { cover, demuxer } = probed;
  if (!cover) return null;
  for await (using packet of readPackets(demuxer, reading, cover.index)) {
    return packet?.data ? Buffer.from(packet.data) : null;
  }
  return null;
}
