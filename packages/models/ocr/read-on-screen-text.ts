import { readRgbImage } from '@media-search/media/decode-image';
import type {
  ExtractedSegment,
  ExtractionCheckpoint,
  ExtractionEnd,
  TextReading,
} from '@media-search/media/extracted-text';
import type { Reading } from '@media-search/media/read-packets';
import { readSparseFrames } from '@media-search/media/sparse-frames';
import type { MediaType } from '../../../contract/media.ts';
import { ModelError } from '../model-error.ts';
import { createCameraWatch } from './camera-motion.ts';
import { createReadingPlan } from './decide-reading.ts';
import { type Shift, toEdgePicture } from './edge-picture.ts';
import { ocrModelId } from './open-ocr-session.ts';
import { emptyFrameDetail, frameDetail, type LineReader, photoDetail } from './read-lines.ts';
import { createTextTracks, type ShownLine, type TimedEdges } from './text-tracks.ts';

/** A longer side of a photograph is scaled down to this, pixels: the detector sees half of it anyway. */
const maxPhotoSide = 4096;

/** Seconds between two frames that are looked at, of a video. */
const frameInterval = 0.5;
/** Longest side of the frames whose edges are followed, and of those that are read, pixels. */
const smallSide = 640;
const fullSide = 1920;
/** A frame that is hardly larger than its small picture (720p) is read at once: a glance costs almost as much, and sees no small letters. */
const maxGlanceScale = 0.45;
/** Frames through which a new line is followed back: the time between two readings at most. */
const maxHistory = 18;

/** How far a checkpoint is behind the one before, and how much work, seconds: what is lost by a crash, and how long urgent work waits. */
const minStep = 5;
const minWork = 4;
/** A line that is on the screen for longer, or needs more work, is cut at a checkpoint. */
const maxStep = 40;
const maxWork = 12;

/** What is read: the original of an item on disk. */
type OcrTask = Reading & {
  path: string;
  media: { type: MediaType; mime_type: string };
  /** Where to begin, seconds. */
  position: number;
};

/**
 * Reads text on screen. Throws `UnreadableMediaError`.
 * @param loadReader what reads single pictures; where it throws `ModelError` the reading ends as failed, with what the error says
 */
export async function* readOnScreenText(task: OcrTask, loadReader: () => Promise<LineReader>): TextReading {
  const { path, media, signal } = task;
  const message = 'No text was found.';
  const end: ExtractionEnd = { state: 'none', language: null, model: ocrModelId, message, warning: null };
  if (media.type === 'audio') {
    yield { ...end, model: null, message: 'A recording has no picture.' };
    return;
  }
  let reader: LineReader;
  try {
    reader = await loadReader();
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    yield { ...end, state: 'failed', model: null, message: error.message };
    return;
  }
  if (media.type === 'image') {
    yield { ...end, segments: await readPhotoText(reader, path, media.mime_type, signal) };
    return;
  }
  yield* readVideoText(reader, task);
  yield end;
}

async function readPhotoText(
  { readLines }: LineReader,
  path: string,
  mimeType: string,
  signal: AbortSignal,
): Promise<ExtractedSegment[]> {
  const picture = await readRgbImage(path, mimeType, maxPhotoSide);
  const lines = await readLines(picture, photoDetail, signal);
  return lines.map((line) => toSegment({ ...line, start: 0, end: 0 }));
}

/**
 * Reads what a video shows, from a time on. Every half second its edges are looked at, in a small picture; the picture itself is read
 * after a cut, where edges like those of text appear or those of a line are missed, and now and then. Lines are followed by their edges
 * and by their text, so each is one segment from its first to its last sight; one that is on the screen for long is several.
 */
async function* readVideoText(
  reader: LineReader,
  { path, position: from, signal, onAdvance }: OcrTask,
): AsyncGenerator<ExtractionCheckpoint, void> {
  const tracks = createTextTracks();
  const plan = createReadingPlan();
  const watchCamera = createCameraWatch();
  let history: TimedEdges[] = [];
  let position = from;
  let end = from;
  let began = seconds();
  const options = { from, interval: frameInterval, smallSide, fullSide };
  for await (const frame of readSparseFrames(path, options, { signal, onAdvance })) {
    end = frame.end;
    const before = history.at(-1);
    const edges = toEdgePicture(frame.small);
    const motion = watchCamera(edges);
    const now = { time: Math.max(from, frame.time), edges, camera: add(before?.camera, motion.shift) };
    const followed = tracks.follow(now);
    history = [...history, now].slice(-maxHistory);
    const look = plan.choose({ before, now, motion, isLast: frame.isLast, shown: tracks.count, ...followed });
    const isLarge = frame.scale < maxGlanceScale;
    if (look === 'glance' && isLarge && !(await reader.seesText(frame.small, signal))) plan.noteGlance(now);
    else if (look !== 'none') {
      const isClose = tracks.count > 0 || look === 'glance' || (look === 'guess' && !isLarge);
      const detail = isClose ? frameDetail : emptyFrameDetail;
      const lines = await reader.readLines(await frame.readFull(), detail, signal);
      plan.noteReading(now, lines.length, tracks.update(lines, history));
    }
    const step = planStep(now.time - position, (tracks.earliest ?? now.time) - position, seconds() - began);
    if (step === 'none') continue;
    if (step === 'cut') {
      tracks.cut(now.time);
      // A line that is read from here on began here, at the earliest.
      history = [now];
    }
    position = Math.min(now.time, tracks.earliest ?? now.time);
    yield { segments: tracks.take(position).map(toSegment), position, model: ocrModelId };
    began = seconds();
  }
  tracks.cut(end);
  yield { segments: tracks.take(Infinity).map(toSegment), position: end, model: ocrModelId };
}

const add = (one: Shift = { x: 0, y: 0 }, other: Shift): Shift => ({ x: one.x + other.x, y: one.y + other.y });

/**
 * Whether a checkpoint comes now: at the start of the first line on the screen, from where reading would begin again, or at the present,
 * which cuts lines.
 * @param passed since the last checkpoint, seconds of the video
 * @param settled of it, what no line on the screen reaches into
 * @param work since the last checkpoint, seconds
 */
function planStep(passed: number, settled: number, work: number): 'none' | 'settled' | 'cut' {
  if (settled >= minStep && (work >= minWork || passed >= maxStep)) return 'settled';
  return passed > 0 && (passed >= maxStep || work >= maxWork) ? 'cut' : 'none';
}

/** Processor time of this process: a busy machine does not change where lines are cut. */
function seconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const toSegment = ({ start, end, text, box, confidence }: ShownLine): ExtractedSegment => ({
  start: roundTo(start, 3),
  end: roundTo(end, 3),
  text,
  language: null,
  box: { x: roundTo(box.x, 4), y: roundTo(box.y, 4), width: roundTo(box.width, 4), height: roundTo(box.height, 4) },
  confidence: roundTo(confidence, 3),
});

const roundTo = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;
