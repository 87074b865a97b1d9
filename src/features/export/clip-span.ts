/** A span within a video, seconds. */
export type ClipSpan = { start: number; end: number };

/** The longest clip that is encoded, and the longest animation, seconds. */
export const maxClipSeconds = 600;
export const maxAnimationSeconds = 15;

const round = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** A span with one end moved: within the video, and at least a frame long. The other end gives way. */
export function moveEnd(
  span: ClipSpan,
  which: 'start' | 'end',
  time: number,
  { duration, frame }: { duration: number; frame: number },
): ClipSpan {
  if (which === 'start') {
    const start = round(Math.max(0, Math.min(time, duration - frame)));
    return { start, end: round(Math.max(span.end, start + frame)) };
  }
  const end = round(Math.max(frame, Math.min(time, duration)));
  return { start: round(Math.min(span.start, end - frame)), end };
}

/** The time that a text names: `12.5`, `1:02.5`, `01:02:03.5`. Undefined where it names none. */
export function parseTime(text: string): number | undefined {
  if (!/^\d*(?::\d{1,2}){0,2}(?:[.,]\d*)?$/.test(text.trim()) || !/\d/.test(text)) return undefined;
  return text
    .trim()
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part || 0), 0);
}

/** `1:02.500`. */
export function writeTime(seconds: number): string {
  const whole = Math.round(seconds * 1000);
  const minutes = Math.floor(whole / 60_000);
  const rest = ((whole % 60_000) / 1000).toFixed(3).padStart(6, '0');
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}
