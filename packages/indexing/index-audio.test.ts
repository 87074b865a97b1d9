import { readFile, writeFile } from 'node:fs/promises';
import { detectMediaType } from '@media-search/media/detect-media-type';
import { probeMedia } from '@media-search/media/probe-video';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { drawSound, makeRecording } from '../media/testing/make-recording.ts';
import { temporaryFolder } from '../media/testing/temporary-folder.ts';
import { indexFile } from './testing/index-file.ts';

const { signal } = new AbortController();

/** Twelve seconds: loud, silent from 6 to 7, and half as loud. */
const samples = drawSound(12, (time) => (time < 6 ? 0.8 : time < 7 ? 0 : 0.4));

describe('recordings', () => {
  test.each([
    ['a.mp3', 'audio/mpeg', true],
    ['a.m4a', 'audio/mp4', true],
    ['a.wav', 'audio/wav', true],
    ['a.flac', 'audio/flac', true],
    ['a.ogg', 'audio/ogg', false],
    ['a.aiff', 'audio/aiff', false],
  ])('%s is told by its content, cut in its pauses, and plays in browsers', async (name, mimeType, plays) => {
    await using folder = await temporaryFolder();
    const file = folder.file('no-ending');
    await makeRecording(folder.file(name), { samples, tags: { title: 'Voice memo', artist: 'Ana' } });
    await writeFile(file, await readFile(folder.file(name)));
    expect(await detectMediaType(file)).toEqual({ type: 'audio', mimeType });
    const indexed = await indexFile(file, folder.path);
    expect(indexed).toMatchObject({ type: 'audio', mimeType, warning: null, width: 1280, height: 720 });
    expect(indexed.duration).toBeGreaterThan(11.9);
    expect(indexed.duration).toBeLessThan(12.1);
    expect(indexed.chunks.length).toBe(2);
    expect(indexed.chunks[0]?.end).toBeGreaterThan(6);
    expect(indexed.chunks[0]?.end).toBeLessThan(7.1);
    expect(indexed.chunks[1]).toMatchObject({ start: indexed.chunks[0]?.end, end: indexed.duration, embeddings: [] });
    expect(indexed.details.audio?.codec).toBeDefined();
    if (name !== 'a.wav' && name !== 'a.aiff') {
      expect(indexed.tags).toContain('Ana');
      expect(indexed.details).toMatchObject({ title: 'Voice memo', artist: 'Ana' });
    }
    expect(indexed.rendition).toEqual(plays ? null : { file: 'playback.m4a', mimeType: 'audio/mp4' });
    if (!plays) {
      await using rendered = await probeMedia(folder.file('playback.m4a'), signal);
      expect(rendered.audioCodec).toBe('aac');
      expect(rendered.duration).toBeCloseTo(12, 0);
    }
    const { peaks } = JSON.parse(await readFile(folder.file('waveform.json'), 'utf8')) as { peaks: number[] };
    const at = (time: number) => peaks[Math.round((peaks.length * time) / 12)] as number;
    expect(at(3)).toBeGreaterThan(190);
    expect(at(6.5)).toBeLessThan(20);
    expect(at(9)).toBeGreaterThan(100);
    expect(at(9)).toBeLessThan(150);
  });

  test('an MP4 without pictures is one as well', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('memo.mp4');
    await makeRecording(file, { samples });
    expect(await detectMediaType(file)).toEqual({ type: 'video', mimeType: 'video/mp4' });
    expect(await indexFile(file, folder.path)).toMatchObject({ type: 'audio', mimeType: 'audio/mp4', rendition: null });
  });

  test('the cover in a file stands for it, in its own shape; one that cannot be decoded is as none', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('song.mp3');
    const red = { width: 300, height: 200, channels: 3, background: '#c81414' } as const;
    const cover = await sharp({ create: red }).jpeg().toBuffer();
    await makeRecording(file, { samples: samples.subarray(0, 96_000), cover });
    const indexed = await indexFile(file, folder.path);
    expect(indexed).toMatchObject({ type: 'audio', width: 300, height: 200, details: { cover: true } });
    const [r, , b] = await sharp(folder.file(indexed.poster)).resize(1, 1).raw().toBuffer();
    expect(r).toBeGreaterThan(180);
    expect(b).toBeLessThan(40);
    await makeRecording(file, { samples: samples.subarray(0, 96_000), cover: cover.subarray(0, 100) });
    const other = await indexFile(file, folder.path);
    expect(other).toMatchObject({ type: 'audio', width: 1280, height: 720 });
    expect(other.details.cover).toBeUndefined();
    // Whatever type its tag states, a drawing is none: drawing one may take without end.
    const drawing = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
    );
    await makeRecording(file, { samples: samples.subarray(0, 96_000), cover: drawing });
    expect((await indexFile(file, folder.path)).details.cover).toBeUndefined();
  });

  test('silence has a flat waveform, and one too long is refused', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('silence.wav');
    await makeRecording(file, { samples: new Float32Array(48_000 * 25) });
    const { chunks, duration } = await indexFile(file, folder.path);
    expect(duration).toBeCloseTo(25, 1);
    expect(chunks.length).toBe(3);
    const limits = { maxSeconds: 20, maxFrames: 100 };
    await expect(indexFile(file, folder.path, { limits })).rejects.toMatchObject({ code: 'too_large' });
  });

  test('a file that only begins like one is refused with a sentence', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('noise.mp3');
    const head = Buffer.from('ID3\u0003\0\0\0\0\0\0', 'latin1');
    await writeFile(file, Buffer.concat([head, Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(3000)]));
    await expect(indexFile(file, folder.path)).rejects.toMatchObject({ name: 'UnreadableMediaError' });
  });
});
