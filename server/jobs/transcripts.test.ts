import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Demuxer } from 'node-av/api';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { MediaItem } from '../../contract/media.ts';
import {
  drawImage,
  encodeVideo,
  makePhoto,
  makeVideo,
  plain,
  type VideoOptions,
} from '../../packages/media/samples/draw-media.ts';
import { type DrawnLine, drawText } from '../../packages/media/testing/draw-text.ts';
import { placeSounds, speak, speechRate } from '../../packages/models/testing/speak.ts';
import { startTestService } from '../testing/running-service.ts';
import { runningProcesses } from '../testing/worker-processes.ts';

// One service with the real models, for all of this file. The voice is one that Whisper tiny understands.
const service = await startTestService({ speech: 'auto', ocr: 'auto', workers: 1 });
const { client } = service;
afterAll(() => service[Symbol.asyncDispose]());

/** What `GET /media/{id}/texts` gives. */
type TextSegment = {
  source: string;
  language: string | null;
  start: number;
  end: number;
  text: string;
  box: null;
  uncertain: boolean;
};

const text = 'Welcome to the museum. Today we will see all the paintings.';
const spoken = await speak(text, { voice: 'en-us+f5', rate: 150 });
const spokenSeconds = spoken.samples.length / speechRate;

const video = async (name: string, seconds: number, options: Omit<VideoOptions, 'scenes'>): Promise<string> => {
  const file = path.join(service.folder, name);
  await makeVideo(file, { scenes: [{ paint: plain(20, 90, 200), seconds }], fps: 5, ...options });
  return file;
};

async function upload(file: string): Promise<string> {
  return (await client.upload(file)).data.id;
}

/** Waits until what is said in an item is written down. */
async function transcribed(id: string): Promise<MediaItem> {
  return vi.waitFor(
    async () => {
      const { data } = await client.get<MediaItem>(`/media/${id}`);
      expect(data.status).toBe('complete');
      expect(data.speech.state).not.toBe('pending');
      return data;
    },
    { timeout: 60_000, interval: 100 },
  );
}

const linesOf = async (id: string, source: 'speech' | 'ocr' = 'speech'): Promise<TextSegment[]> =>
  (await client.get<TextSegment[]>(`/media/${id}/texts?source=${source}&per_page=100`)).data;

let talk = '';
beforeAll(async () => {
  const sounds = [2, 8].map((at) => ({ at, samples: spoken.samples }));
  talk = await video('talk.mp4', 14, { audio: placeSounds(14, sounds) });
});

test('what is said is found, with its language, at the second where it is said', async () => {
  const id = await upload(talk);
  const { speech, warning } = await transcribed(id);
  expect(speech).toEqual({ state: 'complete', progress: null, language: 'en', model: 'whisper-tiny', message: null });
  expect(warning).toBeNull();
  const lines = await linesOf(id);
  for (const at of [2, 8]) {
    const museum = lines.find((line) => line.text.includes('museum') && line.start > at - 1 && line.start < at + 5);
    expect(museum).toMatchObject({ source: 'speech', language: 'en', box: null, uncertain: false });
    expect(Math.abs((museum?.start ?? 0) - at)).toBeLessThan(0.5);
    const end = Math.max(...lines.filter((line) => line.start > at - 1 && line.start < at + 5).map((line) => line.end));
    expect(Math.abs(end - at - spokenSeconds)).toBeLessThan(0.5);
  }
  const { data: hits } = await client.search('museum');
  expect(hits[0]?.id).toBe(id);
});

test('speech that is hardly understood is found, and marked as uncertain', async () => {
  // A voice and words that Whisper tiny gets wrong.
  const text = 'A dog on a skateboard rolls out of the port and walks along the quay.';
  const { samples } = await speak(text, { voice: 'en-us', rate: 170 });
  const seconds = Math.ceil(samples.length / speechRate) + 2;
  const id = await upload(await video('quay.mp4', seconds, { audio: placeSounds(seconds, [{ at: 1, samples }]) }));
  await transcribed(id);
  const lines = await linesOf(id);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => !line.uncertain)).toEqual([]);
  const { data: hits } = await client.search('"along the"');
  expect(hits[0]?.id).toBe(id);
  expect(hits[0]?.signals.matches?.[0]).toMatchObject({ source: 'speech', uncertain: true });
  const captions = await fetch(`${service.url}/api/v1/media/${id}/captions`, {
    headers: { Authorization: `Bearer ${service.key}` },
  });
  expect(await captions.text()).toMatch(/<i>.*along the.*<\/i>/);
});

test('where nobody speaks, or subtitles say it already, nothing is transcribed, and the item says why', async () => {
  const photo = path.join(service.folder, 'photo.png');
  await makePhoto(photo, plain(200, 20, 20));
  const subtitles = [1, 4].map((start) => ({ start, end: start + 2, text: `Line ${start}` }));
  const sound = placeSounds(8, [{ at: 1, samples: spoken.samples }]);
  const files: [file: string, reason: RegExp][] = [
    [photo, /photograph/],
    [await video('mute.mp4', 2, {}), /has no sound/],
    [await video('tone.mp4', 3, { audio: true }), /No speech was found/],
    [await video('subtitled.mkv', 8, { audio: sound, subtitles }), /has subtitles/],
  ];
  for (const [file, reason] of files) {
    const id = await upload(file);
    const { speech } = await transcribed(id);
    expect(speech, file).toMatchObject({ state: 'none', language: null, message: expect.stringMatching(reason) });
    expect(await linesOf(id)).toEqual([]);
  }
});

test('of damaged sound what can be read is kept, and the item says so', async () => {
  const file = path.join(service.folder, 'damaged.mp4');
  await writeFile(file, await spoilSound(talk, 7));
  const id = await upload(file);
  const { status, warning, speech } = await transcribed(id);
  expect({ status, code: warning?.code, state: speech.state }).toEqual({
    status: 'complete',
    code: 'audio_damaged',
    state: 'complete',
  });
  const lines = await linesOf(id);
  expect(lines.some((line) => line.text.includes('museum') && line.start < 3)).toBe(true);
  expect(lines.every(({ end }) => end < 8)).toBe(true);
});

test(
  'after kill -9 in the middle it goes on from the last checkpoint, and nothing comes twice',
  { timeout: 300_000 },
  async () => {
    const starts = [1, 70, 140];
    const sounds = starts.map((at) => ({ at, samples: spoken.samples }));
    const id = await upload(await video('long.mp4', 146, { fps: 1, audio: placeSounds(146, sounds) }));
    await client.waitUntilIndexed(id);
    await vi.waitFor(async () => expect(await linesOf(id)).not.toEqual([]), { timeout: 60_000, interval: 50 });
    for (const worker of runningProcesses('worker.ts')) worker.kill('SIGKILL');
    expect((await client.get<MediaItem>(`/media/${id}`)).data.speech.state).toBe('pending');
    await transcribed(id);
    const museums = (await linesOf(id)).filter((line) => line.text.includes('museum'));
    expect(museums.map(({ start }) => Math.round(start))).toEqual(starts);
  },
);

/** A film, a frame a second, of a sign that stays and captions that follow each other. @returns what it shows, from when to when */
async function makeCaptioned(file: string): Promise<[text: string, start: number, end: number][]> {
  const [width, height, seconds] = [640, 360, 90];
  const names = ['Amsterdam', 'Barcelona', 'Copenhagen', 'Dubrovnik'];
  const shown: [string, number, number][] = [
    // From before the first checkpoint, which comes after forty seconds, to after it.
    ['Harbour station', 2, 48],
    ...names.map((name, i): [string, number, number] => [`${name} express`, 50 + 10 * i, 58 + 10 * i]),
  ];
  const ground = drawImage(plain(190, 200, 210), width, height);
  const draw = (lines: DrawnLine[]) => drawText(ground, lines);
  const pictures = await Promise.all(shown.map(([text]) => draw([{ text, left: 90, top: 150, size: 34 }])));
  const frames = Array.from({ length: seconds }, (_, pts) => {
    const place = shown.findIndex(([, start, end]) => pts >= start && pts < end);
    return { image: pictures[place] ?? ground, pts };
  });
  await encodeVideo(file, frames, { width, height, fps: 1 });
  return shown;
}

test(
  'after kill -9 in the middle of its pictures no line is lost, none comes twice, and the one on the screen stays one',
  { timeout: 300_000 },
  async () => {
    const file = path.join(service.folder, 'captioned.mp4');
    const shown = await makeCaptioned(file);
    const id = await upload(file);
    await vi.waitFor(async () => expect(await linesOf(id, 'ocr')).not.toEqual([]), { timeout: 60_000, interval: 20 });
    for (const worker of runningProcesses('worker.ts')) worker.kill('SIGKILL');
    expect((await client.get<MediaItem>(`/media/${id}`)).data.ocr).toMatchObject({ state: 'pending' });
    expect((await linesOf(id, 'ocr')).length).toBeLessThan(shown.length);
    await transcribed(id);
    expect((await client.get<MediaItem>(`/media/${id}`)).data.ocr.state).toBe('complete');
    const lines = await linesOf(id, 'ocr');
    expect(lines.map((line) => line.text)).toEqual(shown.map(([text]) => text));
    // Frames that no other needs are not decoded: a change is seen a frame later at most.
    for (const [i, [, start, end]] of shown.entries()) {
      expect(Math.abs((lines[i]?.start ?? -9) - start)).toBeLessThan(1.1);
      expect(Math.abs((lines[i]?.end ?? -9) - end)).toBeLessThan(1.1);
    }
  },
);

/** The bytes of a video whose sound from a time on, seconds, makes no sense. */
async function spoilSound(file: string, from: number): Promise<Buffer> {
  const bytes = await readFile(file);
  await using demuxer = await Demuxer.open(file);
  const audio = demuxer.audio();
  for await (using packet of demuxer.packets(audio?.index)) {
    if (!packet || !audio) continue;
    const time = (Number(packet.pts) * audio.timeBase.num) / audio.timeBase.den;
    if (time >= from) bytes.fill(0xa5, Number(packet.pos), Number(packet.pos) + packet.size);
  }
  return bytes;
}
