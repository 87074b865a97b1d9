import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readMoments } from '../media/seek-moments.ts';
import {
  type FlashAndBeep,
  makeFlashAndBeep,
  measureFlashAndBeep,
  flashTiming,
  usualDuration,
} from '../media/testing/flash-and-beep.ts';
import { temporaryFolder } from '../media/testing/temporary-folder.ts';
import { indexFile } from './testing/index-file.ts';

/** How far audio may lie from video, and each from where it belongs: one frame, seconds. */
const frame = 0.04;

const at = (videoStart: number, audioStart = videoStart) => ({ videoStart, audioStart });
const h264 = { videoCodec: 'libx264', audioCodec: 'aac' };
const mpeg2 = { videoCodec: 'mpeg2video', audioCodec: 'mp2' };

describe('video and audio stay in sync, counted from the first frame', () => {
  test.each<[what: string, file: string, options: FlashAndBeep, video?: 'as it is' | 'copied' | 'encoded']>([
    ['MPEG-TS that begins at 1.4 s', 'a.ts', { ...h264, ...at(1.4) }, 'copied'],
    ['MPEG-TS that begins at 16.8 s, its audio before', 'a.ts', { ...mpeg2, ...at(16.8, 16.4) }],
    ['MPEG-TS whose audio begins after', 'a.ts', { videoCodec: 'libx265', audioCodec: 'ac3', ...at(3600, 3600.32) }],
    ['MPEG-TS whose clock starts over', 'a.ts', { ...h264, ...at(95_442.72) }, 'copied'],
    ['MPEG-TS whose clock starts over, encoded', 'a.ts', { ...mpeg2, ...at(95_442.72) }],
    [
      'MPEG-TS with a gap in the audio',
      'a.ts',
      { ...h264, ...at(10), hasAudioAt: (time) => time < 1 || time > 1.6 },
      'copied',
    ],
    ['MPEG-1 program stream', 'a.mpg', { videoCodec: 'mpeg1video', audioCodec: 'mp2' }],
    ['MPEG-2 program stream', 'a.vob', { videoCodec: 'mpeg2video', audioCodec: 'ac3', ...at(0.32, 0) }],
    ['Matroska with late audio', 'a.mkv', { videoCodec: 'libx264', audioCodec: 'libopus', audioStart: 0.72 }, 'copied'],
    ['Matroska with late audio that is copied', 'a.mkv', { ...h264, audioStart: 0.72 }, 'copied'],
    [
      'Matroska whose audio begins before',
      'a.mkv',
      { videoCodec: 'mpeg4', audioCodec: 'libmp3lame', videoStart: 0.72 },
    ],
    ['Matroska with a gap in the audio', 'a.mkv', { ...h264, hasAudioAt: (time) => time < 1 || time > 1.6 }, 'copied'],
    [
      'Matroska of varying frame rate',
      'a.mkv',
      { videoCodec: 'libx265', audioCodec: 'aac', hasFrame: (i) => i % 7 !== 2 && i % 7 !== 4 },
    ],
    ['Matroska without audio that begins late', 'a.mkv', { videoCodec: 'libx265', audioCodec: null, videoStart: 3 }],
    ['WMV', 'a.wmv', { videoCodec: 'wmv2', audioCodec: 'wmav2' }],
    ['WMV with late audio', 'a.wmv', { videoCodec: 'wmv2', audioCodec: 'wmav2', audioStart: 0.8 }],
    ['AVI of Motion JPEG', 'a.avi', { videoCodec: 'mjpeg', audioCodec: 'pcm_s16le' }],
    ['MOV with an edit list', 'a.mov', { ...h264, videoStart: 0.48 }, 'copied'],
    ['MOV of ProRes with late audio', 'a.mov', { videoCodec: 'prores_ks', audioCodec: 'pcm_s16le', audioStart: 0.48 }],
    ['Flash video', 'a.flv', { videoCodec: 'flv', audioCodec: 'libmp3lame' }],
    ['Flash video that begins at 2 s', 'a.flv', { ...h264, ...at(2, 1.52) }, 'copied'],
    ['MP4', 'a.mp4', h264, 'as it is'],
    ['MP4 with late audio', 'a.mp4', { ...h264, audioStart: 0.48 }, 'as it is'],
    ['MP4 with an edit list', 'a.mp4', { ...h264, videoStart: 0.48 }, 'copied'],
    ['MP4 of HEVC and AC-3, both late', 'a.mp4', { videoCodec: 'libx265', audioCodec: 'ac3', ...at(0.2, 0.48) }],
    ['MP4 with a gap in the audio', 'a.mp4', { ...h264, hasAudioAt: (time) => time < 1 || time > 1.6 }, 'copied'],
    [
      'fragmented MP4 that begins at 5 s',
      'a.mp4',
      { ...h264, ...at(5), muxerOptions: { movflags: '+frag_keyframe+empty_moov+default_base_moof' } },
      'copied',
    ],
    ['WebM', 'a.webm', { videoCodec: 'libvpx-vp9', audioCodec: 'libopus' }, 'as it is'],
    ['WebM that begins at 5 s', 'a.webm', { videoCodec: 'libvpx', audioCodec: 'libopus', ...at(5) }, 'copied'],
    [
      'WebM whose audio begins before',
      'a.webm',
      { videoCodec: 'libsvtav1', audioCodec: 'libopus', videoStart: 0.4 },
      'copied',
    ],
    ['3GP', 'a.3gp', { videoCodec: 'h263', audioCodec: 'aac' }],
    ['RealMedia', 'a.rm', { videoCodec: 'rv10', audioCodec: 'ac3' }],
  ])('%s', async (_, name, options, video = 'encoded') => {
    await using folder = await temporaryFolder();
    const file = folder.file(name);
    await makeFlashAndBeep(file, options);
    const indexed = await indexFile(file, folder.path);
    const rendition = indexed.rendition && folder.file(indexed.rendition.file);
    // What x264 says of its settings: the renditions' key frames are up to 60 frames apart, the sources' 25.
    const encoded = rendition && (await readFile(rendition)).includes('keyint=60');
    expect(encoded === null ? 'as it is' : encoded ? 'encoded' : 'copied').toBe(video);
    const measured = await measureFlashAndBeep(rendition ?? file);
    expect(measured.start).toBeCloseTo(0, 2);
    expect(Math.abs((indexed.duration ?? 0) - usualDuration)).toBeLessThan(frame);
    expect(Math.abs(measured.duration - usualDuration)).toBeLessThan(frame);
    expect(indexed.chunks.at(-1)?.end).toBe(indexed.duration);
    const { videoStart = 0, audioStart = 0, audioCodec } = options;
    const near = (found: number[], moments: number[]) => {
      expect(found.length).toBe(moments.length);
      for (const [i, moment] of moments.entries()) expect(Math.abs((found[i] ?? 0) - moment)).toBeLessThan(frame);
    };
    near(measured.flashes, flashTiming.times);
    const heard = measured.flashes.filter((time) => audioCodec !== null && time > audioStart - videoStart);
    near(measured.beeps, heard);
    // Reading single moments of the original uses the same clock.
    const moments = await readMoments(file, [1.2, 1.86, 2.06, 2.26], new AbortController().signal);
    expect(moments.map(({ image: { data } }) => (data[0] ?? 0) > 128)).toEqual([false, true, false, true]);
  });
});
