import loadSynthesizer from '@echogarden/espeak-ng-emscripten';
import { FilterAPI } from 'node-av/api';
import { AV_CHANNEL_LAYOUT_MONO, AV_SAMPLE_FMT_FLT } from 'node-av/constants';
import { Frame } from 'node-av/lib';

type Synthesizer = InstanceType<Awaited<ReturnType<typeof loadSynthesizer>>['eSpeakNGWorker']>;

const synthesizedRate = 22_050;
/** Samples a second of `speak` and of all that speech recognition takes. */
export const speechRate = 16_000;

export type SpokenText = {
  /** Mono, -1..1, 16,000 a second. */
  samples: Float32Array<ArrayBuffer>;
  /** When each word is said, seconds from the first sample. */
  words: { text: string; start: number; end: number }[];
};

type SpeakOptions = {
  /** A voice of eSpeak NG: `en-us`, `en`, `en-us+f5` (a variant: m1–m8, f1–f5, of which those of women are clearest), `de`, `ru`, `cmn`, … */
  voice?: string;
  /** Words a minute, 80 to 450. */
  rate?: number;
  /** 0 to 99. */
  pitch?: number;
};

/**
 * Runs something while the clock stands: eSpeak NG seeds the noise of its voices by the second, and a model may understand one sentence and
 * not its twin. For the same reason each text gets a synthesizer of its own.
 */
function whileClockStands<Result>(run: () => Result): Result {
  const { now } = Date;
  Date.now = () => 0;
  try {
    return run();
  } finally {
    Date.now = now;
  }
}

/** Says a text: the same samples for the same text on every machine. */
export async function speak(
  text: string,
  { voice = 'en-us', rate = 160, pitch = 50 }: SpeakOptions = {},
): Promise<SpokenText> {
  const synthesizer = await loadSynthesizer();
  const { parts, marks } = whileClockStands(() =>
    synthesize(new synthesizer.eSpeakNGWorker(), text, { voice, rate, pitch }),
  );
  const samples = await toSpeechRate(Buffer.concat(parts.map((part) => new Uint8Array(part.buffer))));
  const words = marks.flatMap(({ at, text: word }, i) =>
    word === '' ? [] : [{ text: word, start: at, end: marks[i + 1]?.at ?? samples.length / speechRate }],
  );
  return { samples, words };
}

/** A track of silence that holds sounds at times in seconds; what overlaps is added. */
export function placeSounds(seconds: number, sounds: { at: number; samples: Float32Array }[]): Float32Array {
  const track = new Float32Array(Math.round(seconds * speechRate));
  for (const { at, samples } of sounds) {
    const start = Math.round(at * speechRate);
    samples.subarray(0, track.length - start).forEach((value, i) => {
      track[start + i] = (track[start + i] ?? 0) + value;
    });
  }
  return track;
}

/** @param data samples in 16 bits at the rate of the synthesizer */
async function toSpeechRate(data: Buffer): Promise<Float32Array<ArrayBuffer>> {
  const wide = Float32Array.from({ length: data.length / 2 }, (_, i) => data.readInt16LE(2 * i) / 32_768);
  using filter = FilterAPI.create(`aresample=${speechRate},aformat=sample_fmts=flt`);
  using frame = Frame.fromAudioBuffer(Buffer.from(wide.buffer), {
    nbSamples: wide.length,
    format: AV_SAMPLE_FMT_FLT,
    sampleRate: synthesizedRate,
    channelLayout: AV_CHANNEL_LAYOUT_MONO,
    timeBase: { num: 1, den: synthesizedRate },
    pts: 0n,
  });
  const parts: Buffer[] = [];
  for (const input of [frame, null]) {
    for (using converted of await filter.processAll(input)) parts.push(converted.toBuffer());
  }
  return new Float32Array(new Uint8Array(Buffer.concat(parts)).buffer);
}

/** The samples of a text, in pieces, and where words begin and pauses are, seconds. */
function synthesize(worker: Synthesizer, text: string, { voice, rate, pitch }: Required<SpeakOptions>) {
  if (worker.set_voice(voice) !== 0) throw new Error(`eSpeak NG has no voice ${voice}.`);
  worker.set_rate(rate);
  worker.set_pitch(pitch);
  const parts: Int16Array[] = [];
  const marks: { at: number; text: string }[] = [];
  const characters = Array.from(text);
  worker.synthesize(text, (samples, events) => {
    parts.push(samples);
    for (const { type, text_position: from, word_length: length, audio_position: at, id } of events) {
      // A pause, which is a phoneme without a name, or the end of the sentence ends its last word.
      if (type === 'end' || (type === 'phoneme' && id === '')) marks.push({ at: at / 1000, text: '' });
      if (type === 'word') marks.push({ at: at / 1000, text: characters.slice(from - 1, from - 1 + length).join('') });
    }
    return false;
  });
  return { parts, marks };
}
