import { parseArgs } from 'node:util';
import type { ExtractedSegment } from '@media-search/media/extracted-text';
import { AV_LOG_ERROR } from 'node-av/constants';
import { Log } from 'node-av/lib';
import { drawImage, encodeVideo, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { speechRate } from '../../packages/models/testing/speak.ts';
import type { Split } from './drawn-images.ts';
import { expectQuality, type Quality } from './expected-quality.ts';
import { readTexts } from './read-texts.ts';
import { makeSpokenTracks, readRecordedTracks, silentTracks, type Track } from './sounds.ts';
import { loadWhisperAlone } from './whisper-alone.ts';
import { align, toSpokenWords, type TimedWord } from './word-errors.ts';

/**
 * How well speech is written down: word error rate (in Chinese and Japanese by character), whether the language is right, and how far the
 * start and the end of each line are from those of its first and last word. Speech by eSpeak NG in three voices, clean and with music and
 * noise below; recorded speech, if a folder of it is given; and sound without words, which must give none. Each goes through the same code as
 * a video of the service: an AAC track of 64 kbit/s, voice activity, Whisper on one thread. Beside it the same weights in the pipeline of
 * transformers.js, which is told the language.
 *
 *     npm run node -- lab/bench/speech.ts [--recordings <folder with recordings.tsv, see sounds.ts>] [--split development --show] [--only <part of a name>] [--no-alone]
 */

const { values } = parseArgs({
  allowNegative: true,
  options: {
    recordings: { type: 'string' },
    split: { type: 'string', default: 'test' },
    show: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    alone: { type: 'boolean', default: true },
  },
});
Log.setLevel(AV_LOG_ERROR);
const split: Split = values.split === 'development' ? 'development' : 'test';
const isShown = values.show && split === 'development';

type Outcome = {
  errors: number;
  words: number;
  written: number;
  /** How many of those were said where they stand. */
  right: number;
  /** How far starts and ends of lines are from their words, seconds; positive: late. */
  starts: number[];
  ends: number[];
};
type Result = { ours: Outcome; alone: Outcome; language: string | null };
type Row = { kind: string; results: Result[] };

await using folder = await temporaryFolder();
const recogniseAlone = values.alone ? await loadWhisperAlone() : () => Promise.resolve([]);
const rows: Row[] = [];
/** Kinds of the sound that is made here without words; a recorded song has some. */
const silentKinds = new Set<string>();
const processor = { ours: 0, alone: 0 };
let [soundSeconds, number] = [0, 0];
for await (const track of tracks()) {
  if (!track.kind.includes(values.only)) continue;
  const result = await measure(track);
  // The voices of eSpeak NG are told apart only by what is below them.
  const kind = track.kind.replace(/^eSpeak NG en\S*,/, 'eSpeak NG, three voices,');
  const row = rows.find((each) => each.kind === kind);
  if (row) row.results.push(result);
  else rows.push({ kind, results: [result] });
}
report();
expectQuality(rows.flatMap(expectedOf));

async function* tracks(): AsyncGenerator<Track> {
  for (const track of silentTracks()) {
    silentKinds.add(track.kind);
    yield track;
  }
  yield* makeSpokenTracks(split);
  if (values.recordings !== undefined) yield* readRecordedTracks(values.recordings, split);
}

async function measure(track: Track): Promise<Result> {
  const seconds = track.samples.length / speechRate;
  const file = folder.file(`${number++}.mp4`);
  const image = drawImage(plain(40, 40, 40), 64, 64);
  const frames = Array.from({ length: Math.ceil(seconds * 2) }, (_, pts) => ({ image, pts }));
  await encodeVideo(file, frames, { width: 64, height: 64, fps: 2, audio: track.samples });
  const { segments, end } = await timed('ours', () => readTexts('speech', file, seconds));
  const alone = await timed('alone', () => recogniseAlone(track));
  soundSeconds += seconds;
  if (isShown) show(track, segments);
  return { ours: compare(track, segments), alone: compare(track, alone), language: end?.language ?? null };
}

async function timed<T>(name: keyof typeof processor, action: () => Promise<T>): Promise<T> {
  const began = process.cpuUsage();
  const result = await action();
  const { user, system } = process.cpuUsage(began);
  processor[name] += (user + system) / 1e6;
  return result;
}

function compare({ words, language }: Track, segments: ExtractedSegment[]): Outcome {
  const written = segments.flatMap(({ text }, line) => toSpokenWords(text, language).map((word) => ({ word, line })));
  const { errors, pairs } = align(
    words.map(({ text }) => text),
    written.map(({ word }) => word),
  );
  const said = new Map(pairs.map((pair) => [pair.written, words[pair.said] as TimedWord]));
  const [starts, ends]: [number[], number[]] = [[], []];
  written.forEach(({ line }, i) => {
    const word = said.get(i);
    const segment = segments[line];
    if (!word || !segment) return;
    if (written[i - 1]?.line !== line && !Number.isNaN(word.start)) starts.push(segment.start - word.start);
    if (written[i + 1]?.line !== line && !Number.isNaN(word.end)) ends.push(segment.end - word.end);
  });
  return { errors, words: words.length, written: written.length, right: pairs.length, starts, ends };
}

function show({ kind, words }: Track, segments: ExtractedSegment[]): void {
  console.error(`\n${kind}\n  said: ${words.map(({ text }) => text).join(' ')}`);
  for (const { start, end, text, language } of segments) {
    console.error(`  ${start.toFixed(2)}–${end.toFixed(2)} [${language}] ${text}`);
  }
}

function report(): void {
  console.log(
    `| ${split} split | words | errors a word: ours | Whisper alone | right of the words written | languages | lines that start within 0.5 s: ours | alone | end: ours | alone |`,
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const { kind, results } of rows) {
    const [ours, alone] = [results.map((each) => each.ours), results.map((each) => each.alone)];
    const languages = [...new Set(results.map(({ language }) => language ?? '–'))].join(', ');
    const times = [near(ours, 'starts'), near(alone, 'starts'), near(ours, 'ends'), near(alone, 'ends')];
    const cells = [kind, sum(ours, 'words'), rate(ours), rate(alone), precision(ours), languages, ...times];
    console.log(`| ${cells.join(' | ')} |`);
  }
  const cost = (seconds: number) => ((60 * seconds) / soundSeconds).toFixed(1);
  console.log(
    `\nA minute of sound: ${cost(processor.ours)} s of processor time, Whisper alone ${cost(processor.alone)} s.`,
  );
}

/** Nothing is written of the sound that is made here without words, and most of clear speech is right. */
function expectedOf({ kind, results }: Row): Quality[] {
  const ours = results.map((each) => each.ours);
  if (silentKinds.has(kind)) {
    const silent = ours.filter(({ written }) => written === 0).length;
    return [{ name: `${kind}: sounds without a word`, value: silent / ours.length, least: 1 }];
  }
  if (!kind.endsWith(', clean')) return [];
  return [
    { name: `${kind}: words without an error`, value: 1 - sum(ours, 'errors') / sum(ours, 'words'), least: 0.45 },
  ];
}

function sum(outcomes: Outcome[], key: 'errors' | 'words' | 'written' | 'right'): number {
  return outcomes.reduce((total, each) => total + each[key], 0);
}

function rate(outcomes: Outcome[]): string {
  const words = sum(outcomes, 'words');
  return words > 0 ? (sum(outcomes, 'errors') / words).toFixed(3) : `${sum(outcomes, 'written')} words written`;
}

/** How many of the words that were written are right. */
function precision(outcomes: Outcome[]): string {
  const written = sum(outcomes, 'written');
  return written > 0 ? `${sum(outcomes, 'right')} of ${written}` : '–';
}

function near(outcomes: Outcome[], key: 'starts' | 'ends'): string {
  const all = outcomes.flatMap((each) => each[key]);
  return all.length > 0 ? `${all.filter((by) => Math.abs(by) <= 0.5).length} of ${all.length}` : '–';
}
