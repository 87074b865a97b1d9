import type { ExtractionCheckpoint, ExtractionEnd } from '@media-search/media/extracted-text';
import { probeMedia } from '@media-search/media/probe-video';
import type { Reading } from '@media-search/media/read-packets';
import { readSound, type SoundBlock, type SoundReport } from '@media-search/media/read-sound';
import { isForced } from '@media-search/media/subtitles';
import type { MediaType } from '../../../contract/media.ts';
import { ModelError } from '../model-error.ts';
import { cutSpans, type SpeechSpan } from './cut-spans.ts';
import { createWindowPacker, type SpeechWindow } from './pack-windows.ts';
import type { SpeechRecogniser } from './speech-recogniser.ts';
import { mainLanguage, type SpokenLanguages, transcribeWindow } from './transcribe-window.ts';
import { frameSeconds, frameSize, type VoiceDetector } from './voice-activity.ts';
import { untilAborted } from './whisper/load-whisper.ts';

const sampleRate = 16_000;

/** Blocks further apart than this are not one sound, seconds. */
const maxGap = 0.05;

/**
 * Finds speech in sound that is given block by block. Holds no more than the span that goes on.
 * @param from where the sound begins, seconds on the item's clock
 */
function createSpeechFinder(detector: VoiceDetector, from: number) {
  /** Samples that do not fill a frame yet, and the time of the first of them. */
  let rest = new Float32Array(0);
  let time = from;
  const spans = cutSpans();
  detector.reset();
  return {
    /** @returns the spans that ended */
    async push(block: SoundBlock): Promise<SpeechSpan[]> {
      const ended: SpeechSpan[] = [];
      if (Math.abs(block.start - time - rest.length / sampleRate) > maxGap) {
        ended.push(...spans.end());
        detector.reset();
        rest = new Float32Array(0);
        time = block.start;
      }
      const samples = new Float32Array(rest.length + block.samples.length);
      samples.set(rest);
      samples.set(block.samples, rest.length);
      let at = 0;
      for (; at + frameSize <= samples.length; at += frameSize) {
        const frame = samples.slice(at, at + frameSize);
        ended.push(...spans.push({ start: time, samples: frame, probability: await detector.push(frame) }));
        time += frameSeconds;
      }
      rest = samples.slice(at);
      return ended;
    },
    /** @returns the span that goes on at the end of the sound */
    end: () => spans.end(),
    /** All speech before is in spans that were returned; seconds on the item's clock. */
    get position() {
      return spans.start ?? time;
    },
  };
}

/** What is transcribed. */
type TranscriptionTask = Reading & {
  /** The original on disk, and its item. */
  path: string;
  media: { type: MediaType; duration: number | null };
  /** Up to where it is transcribed already, seconds. */
  position: number;
  /** Lines of text that the file has in each of its subtitle tracks, by the index of the stream; null: it was not stored. */
  subtitleLines: Map<number | null, number>;
};

/** From so many lines of subtitles a minute on, what is said is written in them. */
const leastSubtitles = 2;

/** Sound without speech is noted as read so often, seconds: that is a second of work. */
const quietCheckpointSeconds = 120;

const damagedMessage = 'Parts of the sound of this file cannot be decoded. What could be read of it is transcribed.';
const damagedWarning = { code: 'audio_damaged', message: damagedMessage } as const;
const undecodableMessage = 'The sound of this file cannot be decoded.';

/**
 * Writes down what is said in the first audio track of a video or a recording. Speech is found first, so that silence, noise and music cost little and
 * get no words. Yields a checkpoint after each window of at most 28 s of speech, which is some seconds of work, and at last how it ended.
 * Where no model can be run here it is `failed`. Throws `UnreadableMediaError`, and the signal's reason when aborted.
 */
export async function* transcribe(
  task: TranscriptionTask,
  recogniser: SpeechRecogniser,
): AsyncGenerator<ExtractionCheckpoint | ExtractionEnd, void> {
  try {
    yield* hear(task, recogniser);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    yield { state: 'failed', language: null, model: null, message: error.message, warning: null };
  }
}

async function* hear(
  task: TranscriptionTask,
  recogniser: SpeechRecogniser,
): AsyncGenerator<ExtractionCheckpoint | ExtractionEnd, void> {
  const { path, media, position: from, signal, onAdvance } = task;
  const duration = media.duration ?? 0;
  const reason = await reasonForNone(task);
  if (reason !== null) {
    yield { state: 'none', language: null, model: null, message: reason, warning: null };
    return;
  }
  const spoken: SpokenLanguages = new Map();
  let model: string | null = null;
  const sound = readSound(path, { from, duration, signal, onAdvance });
  using models = recogniser.use();
  const windows = findWindows(sound, await models.detector(), from);
  let next = await windows.next();
  for (; !next.done; next = await windows.next()) {
    const { window, position } = next.value;
    const whisper = window && (await models.whisper());
    model = whisper?.name ?? model;
    const segments = whisper ? await transcribeWindow(untilAborted(whisper, signal), window, spoken) : [];
    signal.throwIfAborted();
    yield { segments, position, model, warning: next.value.damaged ? damagedWarning : null };
  }
  yield describeEnd(next.value, from, { language: mainLanguage(spoken), model });
}

/** Why there is nothing to transcribe, for the uploader; null: there may be. */
async function reasonForNone({ path, media, subtitleLines, signal }: TranscriptionTask): Promise<string | null> {
  if (media.type === 'image') return 'A photograph has no sound.';
  await using probed = await probeMedia(path, signal);
  if (!probed.audio) return 'This file has no sound.';
  const least = (leastSubtitles * (media.duration ?? 0)) / 60;
  // Lines that an earlier version stored name no track.
  const linesWithoutTrack = subtitleLines.get(null) ?? 0;
  const isSubtitled = probed.subtitles.some((track) => {
    const lines = (subtitleLines.get(track.index) ?? 0) + linesWithoutTrack;
    return lines > 0 && lines >= least && !isForced(track);
  });
  return isSubtitled ? 'This video has subtitles, which say what is said.' : null;
}

/** A window of speech, or none, and up to where everything is in this window or one before. */
type FoundWindow = {
  window: SpeechWindow | null;
  position: number;
  /** Whether sound before it could not be decoded. */
  damaged: boolean;
};

async function* findWindows(
  sound: AsyncGenerator<SoundBlock, SoundReport>,
  detector: VoiceDetector,
  from: number,
): AsyncGenerator<FoundWindow, SoundReport> {
  const finder = createSpeechFinder(detector, from);
  const packer = createWindowPacker();
  let position = from;
  let damaged = false;
  function* pack(spans: SpeechSpan[]): Generator<FoundWindow> {
    for (const span of spans) {
      const window = packer.push(span);
      if (!window) continue;
      position = span.start;
      yield { window, position, damaged };
    }
    if (packer.isEmpty && finder.position - position >= quietCheckpointSeconds) {
      position = finder.position;
      yield { window: null, position, damaged };
    }
  }
  let next = await sound.next();
  for (; !next.done; next = await sound.next()) {
    ({ damaged } = next.value);
    yield* pack(await finder.push(next.value));
  }
  yield* pack(finder.end());
  const window = packer.flush();
  if (window) yield { window, position: finder.position, damaged };
  return next.value;
}

function describeEnd(
  report: SoundReport,
  from: number,
  heard: Pick<ExtractionEnd, 'language' | 'model'>,
): ExtractionEnd {
  const nothing = { language: null, model: null, warning: null };
  if (report.damaged && report.seconds === 0 && from === 0) {
    const warning = { code: 'audio_damaged', message: undecodableMessage } as const;
    return { ...nothing, state: 'failed', message: undecodableMessage, warning };
  }
  const warning = report.damaged ? damagedWarning : null;
  return heard.language === null
    ? { ...nothing, state: 'none', message: 'No speech was found.', warning }
    : { ...heard, state: 'complete', message: null, warning };
}
