import type { SpeechSpan } from './cut-spans.ts';

const sampleRate = 16_000;

/** Spans one after the other, without the pauses between them. */
export type SpeechWindow = {
  /** Mono at 16 kHz. */
  samples: Float32Array;
  /** Where each span begins in the window, and on the item's clock, seconds; in order. */
  pieces: { offset: number; start: number }[];
};

/** Most of a window that the encoder takes, seconds. */
const maxSeconds = 28;
/** A window reaches over no more of the item than this, seconds, so that what is found is stored soon. */
const maxReach = 60;

const secondsOf = ({ samples }: { samples: Float32Array }): number => samples.length / sampleRate;

/** Joins spans to windows, because a window costs the same whatever it holds. */
export function createWindowPacker() {
  let spans: SpeechSpan[] = [];
  function flush(): SpeechWindow | null {
    if (spans.length === 0) return null;
    const samples = new Float32Array(spans.reduce((sum, span) => sum + span.samples.length, 0));
    let at = 0;
    const pieces = spans.map((span) => {
      samples.set(span.samples, at);
      at += span.samples.length;
      return { offset: (at - span.samples.length) / sampleRate, start: span.start };
    });
    spans = [];
    return { samples, pieces };
  }
  return {
    /** @returns the window that is full, without this span */
    push(span: SpeechSpan): SpeechWindow | null {
      const seconds = [...spans, span].reduce((sum, each) => sum + secondsOf(each), 0);
      const reach = span.start + secondsOf(span) - (spans[0]?.start ?? span.start);
      const full = seconds > maxSeconds || reach > maxReach ? flush() : null;
      spans.push(span);
      return full;
    },
    flush,
    /** Whether no span waits. */
    get isEmpty() {
      return spans.length === 0;
    },
  };
}

type Span = { start: number; end: number };

/** A span of a window on the item's clock, in seconds: within the piece that holds most of it, because there is no speech in between. */
export function toItemTime({ samples, pieces }: SpeechWindow, span: Span): Span {
  const parts = pieces.map(({ offset, start }, i) => {
    const until = pieces[i + 1]?.offset ?? samples.length / sampleRate;
    const [from, to] = [Math.max(span.start, offset), Math.min(span.end, until)];
    const shift = start - offset;
    return { overlap: to - from, start: from + shift, end: Math.max(from, to) + shift };
  });
  const { start, end } = parts.reduce((most, part) => (part.overlap >= most.overlap ? part : most));
  return { start, end };
}

/** What follows a place in a window, as a window; null when there is less than `least` seconds of it. */
export function restOf(window: SpeechWindow, place: number, least: number): SpeechWindow | null {
  const from = Math.round(place * sampleRate);
  if (window.samples.length - from < least * sampleRate) return null;
  const later = window.pieces.filter(({ offset }) => offset > place);
  return {
    samples: window.samples.slice(from),
    pieces: [
      // The rest of the piece that it lies in.
      { offset: 0, start: toItemTime(window, { start: place, end: place }).start },
      ...later.map(({ offset, start }) => ({ offset: offset - place, start })),
    ],
  };
}
