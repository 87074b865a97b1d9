/** A text with the time at which it is said or shown, seconds. `uncertain`: it may well be wrong. */
export type Cue = { start: number; end: number; text: string; uncertain?: boolean };

const timing = /^(?:(\d+):)?(\d\d):(\d\d\.\d{3}) --> (?:(\d+):)?(\d\d):(\d\d\.\d{3})/;

const toSeconds = (hours = '0', minutes = '0', seconds = '0'): number =>
  Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);

const references: Record<string, string> = { amp: '&', lt: '<', gt: '>' };

/**
 * The cues of a WebVTT file of the API: plain texts without settings, in italics where they are uncertain. Blocks that are no cue are left out.
 * @see https://www.w3.org/TR/webvtt1/
 */
export const parseVtt = (file: string): Cue[] =>
  file.split(/\n{2,}/).flatMap((block) => {
    const lines = block.split('\n');
    // An identifier may stand before the times.
    const at = lines.findIndex((line) => timing.test(line));
    if (at < 0 || at > 1) return [];
    const [, ...times] = timing.exec(lines[at] ?? '') ?? [];
    const written = lines
      .slice(at + 1)
      .join('\n')
      .trim();
    const [, italic] = /^<i>(.*)<\/i>$/s.exec(written) ?? [];
    const text = (italic ?? written).replaceAll(/&(amp|lt|gt);/g, (_, name: string) => references[name] ?? '');
    if (text === '') return [];
    const span = { start: toSeconds(...times.slice(0, 3)), end: toSeconds(...times.slice(3)) };
    return [{ ...span, text, ...(italic === undefined ? {} : { uncertain: true }) }];
  });

/**
 * Seconds by which cues are shown early. Seeking to the start of a cue shows the frame that is shown then, which has begun before; at 24
 * frames a second by up to 0.042 s.
 */
export const cueLead = 0.05;

/** More cues than these are not shown at once: they could not be read. */
const maxAtOnce = 4;

/** Where in a list of cues, in order of their starts, the last one is that has begun at a time; -1 before the first. */
export function lastBegun(cues: readonly Cue[], time: number): number {
  let low = 0;
  let high = cues.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cues[middle]?.start ?? Infinity) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The cues, in order of their starts, that are shown at a time. A long one is found again behind so many others. */
export function cuesAt(cues: readonly Cue[], time: number): Cue[] {
  const last = lastBegun(cues, time);
  return cues
    .slice(Math.max(0, last - 50), last + 1)
    .filter(({ end }) => end > time)
    .slice(-maxAtOnce);
}
