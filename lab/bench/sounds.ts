import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Decoder, Demuxer, FilterAPI } from 'node-av/api';
import { placeSounds, speak, speechRate } from '../../packages/models/testing/speak.ts';
import type { Split } from './drawn-images.ts';
import { createRandom } from './shot-films.ts';
import { foreignSentences, spokenSentences } from './spoken-sentences.ts';
import { align, toSpokenWords, type TimedWord } from './word-errors.ts';

/** Sound whose words are known: speech by eSpeak NG, clean or with music or noise below, recorded speech, and sound without words. */

/** Mono at 16 kHz. A time that is not known is NaN. */
export type Track = { kind: string; language: string; samples: Float32Array; words: TimedWord[] };
type Random = () => number;

const voices = ['en-us', 'en-us+f3', 'en-gb-scotland'];
/** Kinds of sound below the speech, and how much louder the speech is, dB. */
const grounds: { name: string; make: ((seconds: number, seed: number) => Float32Array) | null; ratio: number }[] = [
  { name: 'clean', make: null, ratio: Infinity },
  { name: 'music at 10 dB', make: makeMusic, ratio: 10 },
  { name: 'noise at 10 dB', make: makeNoise, ratio: 10 },
  { name: 'noise at 5 dB', make: makeNoise, ratio: 5 },
];

/** Each voice says all sentences of the split, with pauses of 0.5 to 2 s between them, over each ground. */
export async function* makeSpokenTracks(split: Split): AsyncGenerator<Track> {
  const random = createRandom(split === 'development' ? 3 : 77);
  for (const [i, voice] of voices.entries()) {
    const spoken = await sayAll(random, spokenSentences[split], voice, 'en');
    for (const { name, make, ratio } of grounds) {
      const samples = make ? mix(spoken.samples, make(spoken.samples.length / speechRate, i), ratio) : spoken.samples;
      yield { ...spoken, kind: `eSpeak NG ${voice}, ${name}`, samples };
    }
  }
  if (split === 'development') return;
  for (const { voice, language, sentences } of foreignSentences) {
    const spoken = await sayAll(random, sentences, voice, language);
    yield { ...spoken, kind: `eSpeak NG ${voice}, clean` };
  }
}

async function sayAll(random: Random, sentences: string[], voice: string, language: string): Promise<Track> {
  const words: TimedWord[] = [];
  const sounds: { at: number; samples: Float32Array }[] = [];
  let at = 1;
  for (const sentence of sentences) {
    const spoken = await speak(sentence, { voice });
    sounds.push({ at, samples: spoken.samples });
    words.push(...timeWords(toSpokenWords(sentence, language), spoken.words, language, at));
    at += spoken.samples.length / speechRate + 0.5 + 1.5 * random();
  }
  return { kind: '', language, words, samples: placeSounds(at + 1, sounds) };
}

/** eSpeak NG says some words as one (`in the`) and gives their times together: those that it does not name have none. */
function timeWords(texts: string[], spoken: TimedWord[], language: string, at: number): TimedWord[] {
  const named = spoken.flatMap(({ text, start, end }) =>
    toSpokenWords(text, language).map((word) => ({ text: word, start: at + start, end: at + end })),
  );
  const { pairs } = align(
    texts,
    named.map(({ text }) => text),
  );
  const places = new Map(pairs.map(({ said, written }) => [said, named[written]]));
  return texts.map((text, i) => places.get(i) ?? { text, start: Number.NaN, end: Number.NaN });
}

/** Sound without words, half a minute each. */
export const silentTracks = (): Track[] => {
  const track = (kind: string, samples: Float32Array): Track => ({ kind, language: '', words: [], samples });
  const seconds = 30;
  return [
    track('silence', new Float32Array(seconds * speechRate)),
    track('chords and drums, synthesised', makeMusic(seconds, 5)),
    track('noise', scale(makeNoise(seconds, 6), 0.1)),
    track('beeps', makeBeeps(seconds)),
  ];
};

/**
 * Recorded speech that is given: by kind and language one track of all recordings, with a second between them; sound without words is a track
 * each.
 * @param folder with `recordings.tsv`: split, kind (`no speech` where none is), file, language, speaker, transcript
 */
export async function* readRecordedTracks(folder: string, split: Split): AsyncGenerator<Track> {
  const table = (await readFile(path.join(folder, 'recordings.tsv'), 'utf8')).split('\n').slice(1);
  const rows = table.map((line) => line.split('\t')).filter(([its]) => its === split);
  const groups = Map.groupBy(rows, ([, kind, file, language]) =>
    kind === 'no speech' || kind === 'sung' ? `${kind}: ${file}` : `recorded, ${kind}, ${language}`,
  );
  for (const [kind, recordings] of groups) {
    const words: TimedWord[] = [];
    const sounds: { at: number; samples: Float32Array }[] = [];
    let at = 0.5;
    for (const [, , file = '', language = '', , transcript = ''] of recordings) {
      const samples = scale(await readSamples(path.join(folder, file)));
      sounds.push({ at, samples });
      words.push(...placeWords(toSpokenWords(transcript, language), samples, at));
      at += samples.length / speechRate + 1;
    }
    const language = recordings[0]?.[3] ?? '';
    yield { kind, language, words, samples: placeSounds(at, sounds) };
  }
}

/** A recording has a known start of its first word and end of its last only: where it is no longer quiet. */
function placeWords(texts: string[], samples: Float32Array, at: number): TimedWord[] {
  const window = speechRate / 50;
  const least = 0.1 * rootMeanSquare(samples);
  const loud: number[] = [];
  for (let i = 0; i + window <= samples.length; i += window) {
    if (rootMeanSquare(samples.subarray(i, i + window)) > least) loud.push(i / speechRate);
  }
  return texts.map((text, i) => ({
    text,
    start: i === 0 ? at + (loud[0] ?? 0) : Number.NaN,
    end: i === texts.length - 1 ? at + (loud.at(-1) ?? 0) + 0.02 : Number.NaN,
  }));
}

async function readSamples(file: string): Promise<Float32Array> {
  await using demuxer = await Demuxer.open(file);
  const stream = demuxer.audio();
  if (!stream) throw new Error(`${file} holds no sound.`);
  using decoder = await Decoder.create(stream);
  using filter = FilterAPI.create(`aresample=${speechRate},aformat=sample_fmts=flt:channel_layouts=mono`);
  const parts: Buffer[] = [];
  const convert = async (frames: Parameters<typeof filter.processAll>[0]) => {
    for (using converted of await filter.processAll(frames)) parts.push(Buffer.from(converted.toBuffer()));
  };
  for await (using packet of demuxer.packets(stream.index)) {
    for (using frame of await decoder.decodeAll(packet)) await convert(frame);
  }
  for (using frame of await decoder.decodeAll(null)) await convert(frame);
  await convert(null);
  return new Float32Array(new Uint8Array(Buffer.concat(parts)).buffer);
}

const rootMeanSquare = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / Math.max(1, samples.length));

/** The same sound at a loudness. */
function scale(samples: Float32Array, loudness = 0.08): Float32Array {
  const factor = loudness / Math.max(1e-6, rootMeanSquare(samples));
  return samples.map((value) => Math.max(-1, Math.min(1, value * factor)));
}

/** Speech over another sound. @param ratio how much louder the speech is than the other sound, dB */
function mix(speech: Float32Array, other: Float32Array, ratio: number): Float32Array {
  const spoken = speech.filter((value) => Math.abs(value) > 1e-4);
  const ground = scale(other, rootMeanSquare(spoken) / 10 ** (ratio / 20));
  return speech.map((value, i) => Math.max(-1, Math.min(1, value + (ground[i] ?? 0))));
}

/** Pink noise (Voss, 1978): rows of random numbers that change at halving rates. */
function makeNoise(seconds: number, seed: number): Float32Array {
  const random = createRandom(1000 + seed);
  const rows = new Float32Array(12);
  return Float32Array.from({ length: Math.round(seconds * speechRate) }, (_, i) => {
    const changing = Math.min(11, 31 - Math.clz32(i & -i || 1));
    rows[changing] = 2 * random() - 1;
    return rows.reduce((sum, value) => sum + value, 0) / 12;
  });
}

/** Chords with overtones that change each second, a bass, and drums of noise. */
function makeMusic(seconds: number, seed: number): Float32Array {
  const random = createRandom(2000 + seed);
  const roots = [220, 174.6, 261.6, 196];
  return Float32Array.from({ length: Math.round(seconds * speechRate) }, (_, i) => {
    const time = i / speechRate;
    const root = roots[Math.floor(time) % 4] as number;
    const fade = Math.exp(-1.5 * (time % 1));
    let value = 0.3 * Math.sin(Math.PI * root * time);
    for (const step of [1, 1.26, 1.498]) {
      for (let overtone = 1; overtone <= 4; overtone++) {
        value += (fade * Math.sin(2 * Math.PI * root * step * overtone * time)) / (6 * overtone);
      }
    }
    return 0.5 * value + 0.4 * (random() - 0.5) * Math.exp(-30 * (time % 0.5));
  });
}

/** A beep of a fifth of a second each second. */
const makeBeeps = (seconds: number): Float32Array =>
  Float32Array.from({ length: seconds * speechRate }, (_, i) => {
    const time = i / speechRate;
    return time % 1 < 0.2 ? 0.3 * Math.sin(2 * Math.PI * 880 * time) : 0;
  });
