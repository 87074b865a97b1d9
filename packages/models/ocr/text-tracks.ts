import type { TextBox } from '@media-search/media/extracted-text';
import { type EdgePicture, findShift, type PixelBox, type Shift } from './edge-picture.ts';
import { matchLines } from './match-lines.ts';
import type { ReadLine } from './read-lines.ts';

/** A line of text on the screen from its first to its last sight. */
export type ShownLine = ReadLine & {
  /** Seconds; until the first frame that does not show it. */
  start: number;
  end: number;
};

/** The edges of a frame. */
export type TimedEdges = {
  /** When it is shown, seconds. */
  time: number;
  edges: EdgePicture;
  /** How far the camera has moved the picture since the first frame, pixels of the edges. */
  camera: Shift;
};

/** A line that is on the screen. Its text and confidence are those of the surest reading, its box that of the first. */
type Track = ReadLine & {
  start: number;
  /** Where it was when it was seen last, in which frame, and how fast it moved there, pixels of the small frames a second. */
  place: TextBox;
  seenIn: TimedEdges;
  speed: Shift;
  /** When it was missed first, by its edges; null while it is seen. */
  missedAt: number | null;
  /** How many readings in a row did not find it although its edges are there. */
  unread: number;
  /** Distance from where it was at the last reading, fractions of the picture. */
  travelled: number;
};

/** After so many readings without it a line is gone, whatever its edges say. */
const maxUnread = 2;

/** Follows lines of text from frame to frame, and joins what is read of them. */
export function createTextTracks() {
  let tracks: Track[] = [];
  let closed: ShownLine[] = [];

  function close(track: Track, end: number): void {
    const { text, confidence, box, start } = track;
    if (end > start) closed.push({ text, confidence, box: clip(box), start, end });
  }

  return {
    /**
     * Looks for the lines in the next frame by their edges in the last frame that showed them.
     * @returns how many are missed, and how far the farthest moved since the last reading, as a fraction of the picture
     */
    follow(now: TimedEdges): { missed: number; travelled: number } {
      for (const track of tracks) {
        const seconds = now.time - track.seenIn.time;
        const expected = [distance(track.speed, seconds), cameraShift(track.seenIn, now)];
        const shift = findShift(track.seenIn.edges, toPixels(track.place, now.edges), now.edges, expected);
        if (!shift) {
          track.missedAt ??= now.time;
          continue;
        }
        const [x, y] = [shift.x / now.edges.width, shift.y / now.edges.height];
        const speed = seconds > 0 ? { x: shift.x / seconds, y: shift.y / seconds } : track.speed;
        Object.assign(track, { missedAt: null, speed, place: moveBox(track.place, x, y), seenIn: now });
        track.travelled += Math.hypot(x, y);
      }
      const missed = tracks.filter(({ missedAt }) => missedAt !== null);
      // What scrolls out of the picture is not looked for by reading, and kept for a frame, which may show a part that can be read.
      const leaving = missed.filter((track) => isLeaving(track, now));
      const left = leaving.filter(({ missedAt }) => missedAt !== now.time);
      for (const track of left) close(track, track.missedAt ?? now.time);
      tracks = tracks.filter((track) => !left.includes(track));
      return {
        missed: missed.length - leaving.length,
        travelled: Math.max(0, ...tracks.map(({ travelled }) => travelled)),
      };
    },

    /**
     * Takes what was read of a frame. Lines that are neither found by their edges nor read again end where they were missed.
     * @param frames up to the frame that was read, the newest last: a new line is followed back through them to its first sight
     * @returns how many lines are new or have ended
     */
    update(lines: ReadLine[], frames: TimedEdges[]): number {
      const { continued, ended, added } = joinReading(tracks, lines, frames);
      for (const { track, end } of ended) close(track, end);
      tracks = [...continued, ...added];
      return added.length + ended.length;
    },

    /** Lines on the screen. */
    get count(): number {
      return tracks.length;
    },

    /** When the line that is on the screen for the longest was seen first; undefined where there is none. */
    get earliest(): number | undefined {
      return tracks.length > 0 ? Math.min(...tracks.map(({ start }) => start)) : undefined;
    },

    /** Takes the lines that ended, of those that began before a time, in order of time. */
    take(before: number): ShownLine[] {
      const taken = closed.filter(({ start }) => start < before).sort((a, b) => a.start - b.start);
      closed = closed.filter(({ start }) => start >= before);
      return taken;
    },

    /** Ends all lines; what they show from now on is another line, unless it was missed. */
    cut(time: number): void {
      for (const track of tracks) {
        close(track, track.missedAt ?? time);
        Object.assign(track, { start: time, box: track.place });
      }
      tracks = tracks.filter(({ missedAt }) => missedAt === null);
    },
  };
}

/** Joins what is read of the newest frame with the lines that were seen before. */
function joinReading(
  tracks: Track[],
  lines: ReadLine[],
  frames: TimedEdges[],
): { continued: Track[]; ended: { track: Track; end: number }[]; added: Track[] } {
  const now = frames.at(-1) as TimedEdges;
  const matches = matchLines(
    lines,
    tracks.map(({ text, place }) => ({ text, box: place })),
  );
  const scroll = tracks.find((track) => track.missedAt === null && isMoving(track))?.speed;
  const added: Track[] = [];
  for (const [i, line] of lines.entries()) {
    const track = tracks[matches[i] ?? -1];
    if (!track) {
      added.push(startTrack(line, frames, scroll));
      continue;
    }
    if (line.confidence > track.confidence) Object.assign(track, { text: line.text, confidence: line.confidence });
    Object.assign(track, { place: line.box, seenIn: now, missedAt: null, unread: 0, travelled: 0 });
  }
  const read = new Set(matches);
  const continued: Track[] = [];
  const ended: { track: Track; end: number }[] = [];
  for (const [i, track] of tracks.entries()) {
    if (!read.has(i)) track.unread += 1;
    if (track.missedAt === null && track.unread < maxUnread) continued.push(track);
    else ended.push({ track, end: track.missedAt ?? now.time });
  }
  return { continued, ended, added };
}

/**
 * Begins a track where the line was first to be seen.
 * @param scroll how fast other lines move: what scrolls does so together
 */
function startTrack(line: ReadLine, frames: TimedEdges[], scroll = { x: 0, y: 0 }): Track {
  const newest = frames.at(-1) as TimedEdges;
  const track: Track = {
    ...line,
    place: line.box,
    seenIn: newest,
    start: newest.time,
    speed: scroll,
    missedAt: null,
    unread: 0,
    travelled: 0,
  };
  for (let i = frames.length - 1; i > 0; i--) {
    const [now, before] = [frames[i] as TimedEdges, frames[i - 1] as TimedEdges];
    const seconds = before.time - now.time;
    const expected = [distance(track.speed, seconds), cameraShift(now, before)];
    const back = findShift(now.edges, toPixels(track.box, now.edges), before.edges, expected);
    if (!back) break;
    if (seconds < 0) track.speed = { x: back.x / seconds, y: back.y / seconds };
    track.box = moveBox(track.box, back.x / now.edges.width, back.y / now.edges.height);
    track.start = before.time;
  }
  return track;
}

const cameraShift = (from: TimedEdges, to: TimedEdges): Shift => ({
  x: to.camera.x - from.camera.x,
  y: to.camera.y - from.camera.y,
});

const isMoving = ({ speed }: Track): boolean => speed.x !== 0 || speed.y !== 0;

const distance = ({ x, y }: Shift, seconds: number): Shift => ({
  x: Math.round(x * seconds),
  y: Math.round(y * seconds),
});

/** Whether a line that moves reaches beyond the picture by now. */
function isLeaving(track: Track, { time, edges }: TimedEdges): boolean {
  if (!isMoving(track)) return false;
  const moved = distance(track.speed, time - track.seenIn.time);
  const { x, y, width, height } = moveBox(track.place, moved.x / edges.width, moved.y / edges.height);
  return x < 0 || y < 0 || x + width > 1 || y + height > 1;
}

const moveBox = (box: TextBox, x: number, y: number): TextBox => ({ ...box, x: box.x + x, y: box.y + y });

/** The part of a box that is inside the picture: a line that scrolls is followed beyond its edges. */
function clip({ x, y, width, height }: TextBox): TextBox {
  const [left, right] = clipRange(x, x + width);
  const [top, bottom] = clipRange(y, y + height);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

const clipRange = (from: number, to: number): [from: number, to: number] => [
  Math.min(1, Math.max(0, from)),
  Math.min(1, Math.max(0, to)),
];

/** The pixels of a box, inside the picture, a few at least. */
function toPixels(box: TextBox, { width, height }: EdgePicture): PixelBox {
  const left = Math.min(width - 4, Math.max(0, Math.round(box.x * width)));
  const top = Math.min(height - 4, Math.max(0, Math.round(box.y * height)));
  return {
    left,
    top,
    width: Math.max(4, Math.min(width - left, Math.round(box.width * width))),
    height: Math.max(4, Math.min(height - top, Math.round(box.height * height))),
  };
}
