import { open } from 'node:fs/promises';
import { readElements, readElementHead, segmentId } from './ebml.ts';
import { readMoovBox } from './mp4-boxes.ts';
import { readBytes } from './read-bytes.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

/** How much is read of the beginning of a file, bytes: its header, or some thousand packets of a stream. */
const headBytes = 2 ** 20;

/** Sample entries of ISO base media whose frames are encrypted: Common Encryption (ISO/IEC 23001-7), FairPlay. */
const encryptedEntries = new Set(['encv', 'drmi', 'p608', 'enca', 'drms']);

/**
 * Whether the frames of a video are encrypted, by what its container says: Common Encryption in MP4, ContentEncryption in Matroska, a
 * scrambled MPEG-TS or program stream (DVDs), rights management in ASF.
 */
export async function isEncrypted(path: string, mimeType: string): Promise<boolean> {
  await using file = await open(path, 'r');
  if (/mp4|m4v|quicktime|3gpp/.test(mimeType)) return hasEncryptedEntry((await readMoovBox(file)) ?? Buffer.alloc(0));
  const head = await readBytes(file, 0, headBytes);
  if (/matroska|webm/.test(mimeType)) return hasContentEncryption(head);
  if (mimeType === 'video/mp2t') return isScrambled(head);
  if (/^video\/(mpeg|MP2P)$/.test(mimeType)) return isScrambledProgram(head);
  if (mimeType.endsWith('ms-asf')) return encryptionObjects.some((object) => head.includes(object, 0, 'hex'));
  return false;
}

export const encryptedMediaError = () =>
  new UnreadableMediaError(
    'encrypted_media',
    'This file is encrypted (DRM), so it cannot be read. Upload a copy without copy protection.',
  );

/** The Content Encryption and Extended Content Encryption objects (Advanced Systems Format specification, 3.14 and 3.15). */
const encryptionObjects = ['fbb3112223bdd211b4b700a0c955fc6e', '14e68a292226174cb935dae07ee9289c'];

/** Matroska elements from the tracks down to the encryption of one (RFC 9559, 5.1.4.1.31). */
const tracksId = 0x1654ae6b;
const encryptionPath = [0xae, 0x6d80, 0x6240, 0x5035];
const clusterId = 0x1f43b675;

function hasContentEncryption(head: Buffer): boolean {
  for (let at = 0; at < head.length;) {
    const element = readElementHead(head, at);
    if (!element || element.id === clusterId) return false;
    const body = at + element.length;
    if (element.id === tracksId) return hasElement(head.subarray(body, body + element.size), encryptionPath);
    at = element.id === segmentId ? body : body + element.size;
  }
  return false;
}

const hasElement = (body: Buffer, [id, ...rest]: number[]): boolean =>
  readElements(body).some((element) => element.id === id && (rest.length === 0 || hasElement(element.content, rest)));

/** A stream of fewer packets does not count. Tables are never scrambled. */
const minPackets = 10;

/** Whether the number of a packetized elementary stream is one of video (ISO/IEC 13818-1, table 2-22). */
const isVideoStream = (id: number): boolean => id >= 0xe0 && id <= 0xef;

/**
 * Whether the frames of an MPEG-TS are scrambled (ISO/IEC 13818-1, 2.4.3.2): most packets of a stream are, and no other stream has
 * frames in the clear, as a recording of several programmes may have.
 */
function isScrambled(head: Buffer): boolean {
  const streams = new Map<number, { all: number; scrambled: number; video: boolean }>();
  const first = head.indexOf(0x47);
  // Blu-ray puts a time stamp of four bytes before each packet.
  const packetBytes = head[first + 188] === 0x47 ? 188 : 192;
  for (let at = first; at >= 0 && at + 188 <= head.length; at += packetBytes) {
    if (head[at] !== 0x47) continue;
    const identifier = head.readUInt16BE(at + 1) & 0x1fff;
    const { all, scrambled, video } = streams.get(identifier) ?? { all: 0, scrambled: 0, video: false };
    const control = head[at + 3] ?? 0;
    const payload = at + 4 + (control & 0x20 ? 1 + (head[at + 4] ?? 0) : 0);
    const beginsVideo =
      ((head[at + 1] ?? 0) & 0x40) !== 0 &&
      payload + 4 <= at + 188 &&
      head.readUIntBE(payload, 3) === 1 &&
      isVideoStream(head[payload + 3] ?? 0);
    streams.set(identifier, {
      all: all + 1,
      scrambled: scrambled + (control >> 7),
      video: video || beginsVideo,
    });
  }
  const found = [...streams.values()].map(({ all, scrambled, video }) => ({
    video,
    isScrambled: all >= minPackets && scrambled > all / 2,
  }));
  return found.some((stream) => stream.isScrambled) && !found.some((stream) => stream.video && !stream.isScrambled);
}

/** Share of the packets of video that are scrambled on a DVD at least; its Content Scramble System leaves many in the clear. */
const minScrambledShare = 0.1;

/** Whether the frames of an MPEG program stream are scrambled (ISO/IEC 13818-1, 2.4.3.7). */
function isScrambledProgram(head: Buffer): boolean {
  const prefix = Buffer.from([0, 0, 1]);
  let all = 0;
  let scrambled = 0;
  for (let at = head.indexOf(prefix); at >= 0 && at + 7 <= head.length; at = head.indexOf(prefix, at)) {
    const id = head[at + 3] ?? 0;
    const flags = head[at + 6] ?? 0;
    // MPEG-1 has no such field; the two bits before it differ in MPEG-2.
    if (isVideoStream(id) && flags >> 6 === 2) {
      all += 1;
      if ((flags & 0x30) !== 0) scrambled += 1;
    }
    // From the system header (0xbb) on, packets state their lengths.
    at += id >= 0xbb ? 6 + head.readUInt16BE(at + 4) : 4;
  }
  return scrambled >= minPackets && scrambled > minScrambledShare * all;
}

/** Looks at the first sample entry of each track. */
function hasEncryptedEntry(header: Buffer): boolean {
  for (let at = header.indexOf('stsd'); at >= 0; at = header.indexOf('stsd', at + 4)) {
    if (encryptedEntries.has(header.toString('latin1', at + 16, at + 20))) return true;
  }
  return false;
}
