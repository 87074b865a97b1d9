import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { indexFile } from '../../packages/indexing/testing/index-file.ts';
import { readElements } from '../../packages/media/ebml.ts';
import { checkers, makeAnimation, makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { type FlashAndBeep, makeFlashAndBeep, usualDuration } from '../../packages/media/testing/flash-and-beep.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../testing/running-service.ts';

const h264 = { videoCodec: 'libx264', audioCodec: 'aac' };

describe('a file that is cut off is indexed as far as it goes, and says so', () => {
  test.each<[what: string, name: string, options: FlashAndBeep]>([
    ['MP4 with its index in front', 'a.mp4', { ...h264, muxerOptions: { movflags: '+faststart' } }],
    ['fragmented MP4', 'a.mp4', { ...h264, muxerOptions: { movflags: '+frag_keyframe+empty_moov' } }],
    ['MOV', 'a.mov', { ...h264, muxerOptions: { movflags: '+faststart' } }],
    ['Matroska', 'a.mkv', h264],
    ['Matroska of unknown size', 'a.mkv', { ...h264, muxerOptions: { live: 1 } }],
    ['WebM', 'a.webm', { videoCodec: 'libvpx', audioCodec: 'libopus' }],
    ['AVI', 'a.avi', { videoCodec: 'mjpeg', audioCodec: 'pcm_s16le' }],
    ['WMV', 'a.wmv', { videoCodec: 'wmv2', audioCodec: 'wmav2' }],
    ['Flash video', 'a.flv', { videoCodec: 'flv', audioCodec: 'libmp3lame' }],
    ['Ogg', 'a.ogv', { videoCodec: 'libtheora', audioCodec: 'libopus' }],
  ])('%s', async (_, name, options) => {
    await using folder = await temporaryFolder();
    const file = folder.file(name);
    await makeFlashAndBeep(file, options);
    expect((await indexFile(file, folder.path)).warning).toBeNull();
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, Math.floor(0.66 * bytes.length) + 1));
    const { warning, duration, chunks } = await indexFile(file, folder.path);
    expect(warning?.code).toBe('truncated_media');
    expect(warning?.message).toMatch(
      /^This file is cut off: (it holds [\d.]+ of [\d.]+ seconds|its end is missing)\. Upload/,
    );
    expect(duration).toBeGreaterThan(0);
    expect(duration).toBeLessThan(usualDuration);
    expect(chunks.length).toBeGreaterThan(0);
  });

  test('JPEG', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('a.jpg');
    await makePhoto(file, checkers(0));
    expect((await indexFile(file, folder.path)).warning).toBeNull();
    const bytes = await readFile(file);
    await writeFile(file, Buffer.concat([bytes, Buffer.from('something that was appended')]));
    expect((await indexFile(file, folder.path)).warning).toBeNull();
    for (const length of [bytes.length - 2, Math.floor(bytes.length / 2)]) {
      await writeFile(file, bytes.subarray(0, length));
      const { warning, width } = await indexFile(file, folder.path);
      expect(warning).toEqual({
        code: 'truncated_media',
        message: 'This file is cut off: its end is missing. Upload a complete copy.',
      });
      expect(width).toBe(320);
    }
  });

  test('an animated GIF', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('a.gif');
    await makeAnimation(file, [plain(200, 20, 20), plain(20, 40, 200), checkers(0), plain(30, 150, 40)]);
    expect((await indexFile(file, folder.path)).warning).toBeNull();
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, bytes.length - 20));
    expect((await indexFile(file, folder.path)).warning?.code).toBe('truncated_media');
  });
});

describe('encrypted video is named as such', () => {
  const refuses = async (file: string, folder: string) =>
    expect(await indexFile(file, folder).catch((error: unknown) => error)).toMatchObject({
      name: 'UnreadableMediaError',
      code: 'encrypted_media',
      message: expect.stringMatching(/encrypted/) as string,
    });

  test('Common Encryption in MP4', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('a.mp4');
    const key = {
      encryption_key: '00112233445566778899aabbccddeeff',
      encryption_kid: '00112233445566778899aabbccddee00',
    };
    await makeFlashAndBeep(file, { ...h264, muxerOptions: { encryption_scheme: 'cenc-aes-ctr', ...key } });
    await refuses(file, folder.path);
  });

  test('ContentEncryption in Matroska', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('a.mkv');
    await makeFlashAndBeep(file, h264);
    await writeFile(file, encryptTrack(await readFile(file)));
    await refuses(file, folder.path);
  });

  test('a scrambled MPEG-TS', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('a.ts');
    await makeFlashAndBeep(file, h264);
    const bytes = await readFile(file);
    // Headers in the clear at first, so that the stream is recognised.
    for (let at = 188 * 40; at < bytes.length; at += 188)
      if ((bytes.readUInt16BE(at + 1) & 0x1fff) === 0x100) bytes[at + 3]! |= 0x80;
    await writeFile(file, bytes);
    await refuses(file, folder.path);
  });

  test('a recording of several programmes, one of which is in the clear, is not', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('a.ts');
    await makeFlashAndBeep(file, h264);
    const bytes = await readFile(file);
    const packets = Array.from({ length: bytes.length / 188 }, (_, i) => bytes.subarray(188 * i, 188 * (i + 1)));
    const foreign = (i: number) =>
      Buffer.concat([Buffer.from([0x47, 0x07, 0x77, 0x90 | (i & 15)]), Buffer.alloc(184, 90)]);
    await writeFile(file, Buffer.concat(packets.flatMap((packet, i) => [packet, foreign(i)])));
    expect((await indexFile(file, folder.path)).duration).toBeCloseTo(usualDuration, 1);
  });

  test('a scrambled program stream, as on DVDs', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('a.vob');
    await makeFlashAndBeep(file, { videoCodec: 'mpeg2video', audioCodec: 'mp2', filters: 'noise=alls=60:allf=t' });
    const bytes = await readFile(file);
    expect((await indexFile(file, folder.path)).warning).toBeNull();
    // Every other packet, as the Content Scramble System does; the first ones in the clear.
    const start = Buffer.from([0, 0, 1, 0xe0]);
    for (let at = bytes.indexOf(start), i = 0; at >= 0; at = bytes.indexOf(start, at + 4), i++)
      if (i > 2 && i % 2 === 0) bytes[at + 6]! |= 0x10;
    await writeFile(file, bytes);
    await refuses(file, folder.path);
  });

  test('rights management in ASF', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('a.wmv');
    await makeFlashAndBeep(file, { videoCodec: 'wmv2', audioCodec: 'wmav2' });
    await writeFile(file, addEncryptionObject(await readFile(file)));
    await refuses(file, folder.path);
  });
});

/** An EBML element with its size in eight bytes. */
function element(id: string, content: Buffer): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(content.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id, 'hex'), size, content]);
}

/** A Matroska file whose first track is declared to be encrypted. */
function encryptTrack(bytes: Buffer): Buffer {
  const [head, body] = readElements(bytes);
  const none = Buffer.alloc(0);
  const parts = readElements(body?.content ?? none).map(({ id, content }) => {
    if (id !== 0x1654ae6b) return element(id.toString(16), content);
    // A checksum of the tracks may come first.
    const entries = readElements(content).filter((track) => track.id === 0xae);
    const encryption = element(
      '6d80',
      element('6240', Buffer.concat([element('5033', Buffer.from([1])), element('5035', none)])),
    );
    const tracks = entries.map((track, place) =>
      element('ae', Buffer.concat([track.content, ...(place === 0 ? [encryption] : [])])),
    );
    return element('1654ae6b', Buffer.concat(tracks));
  });
  return Buffer.concat([element('1a45dfa3', head?.content ?? none), element('18538067', Buffer.concat(parts))]);
}

/** Adds a Content Encryption Object to the header of an ASF file. */
function addEncryptionObject(bytes: Buffer): Buffer {
  const object = Buffer.concat([Buffer.from('fbb3112223bdd211b4b700a0c955fc6e', 'hex'), Buffer.alloc(24)]);
  object.writeBigUInt64LE(BigInt(object.length), 16);
  const header = Number(bytes.readBigUInt64LE(16));
  const patched = Buffer.concat([bytes.subarray(0, header), object, bytes.subarray(header)]);
  patched.writeBigUInt64LE(BigInt(header + object.length), 16);
  patched.writeUInt32LE(patched.readUInt32LE(24) + 1, 24);
  return patched;
}

test('the item carries the warning, or the error', async () => {
  await using service = await startTestService();
  const { client } = service;
  const file = `${service.folder}/a.mp4`;
  await makeFlashAndBeep(file, { ...h264, muxerOptions: { movflags: '+faststart' } });
  const bytes = await readFile(file);
  await writeFile(file, bytes.subarray(0, Math.floor(0.6 * bytes.length)));
  const item = await client.waitUntilIndexed((await client.upload(file)).data.id);
  expect(item).toMatchObject({ status: 'complete', error: null, warning: { code: 'truncated_media' } });
  const protectedFile = `${service.folder}/b.wmv`;
  await makeFlashAndBeep(protectedFile, { videoCodec: 'wmv2', audioCodec: 'wmav2' });
  await writeFile(protectedFile, addEncryptionObject(await readFile(protectedFile)));
  const refused = await client.waitUntilIndexed((await client.upload(protectedFile)).data.id);
  expect(refused).toMatchObject({ status: 'error', error: { code: 'encrypted_media' }, warning: null });
  await writeFile(file, bytes);
  expect(await client.waitUntilIndexed((await client.upload(file)).data.id)).toMatchObject({
    status: 'complete',
    warning: null,
  });
});
