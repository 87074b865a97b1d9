import path from 'node:path';
import type { CutList, CutListEntry } from './cut-list.ts';
import {
  convertFrames,
  countFrames,
  dropsFrames,
  formatTimecode,
  mostCommonRate,
  parseTimecode,
  type Rate,
  toFrames,
} from './timecode.ts';

/**
 * A cut list as CMX 3600, the events one after the other from 01:00:00:00 on. Record times count frames of the rate that most of the videos
 * have, source times those of their own video, from its timecode where it has one. At 29.97 and 59.94 frames a second timecode leaves
 * numbers out (`;` before the frames), so that it keeps to the clock.
 */
export function writeEdl({ title, entries, omitted }: CutList): string {
  const rate = mostCommonRate(entries.map(({ facts }) => facts.rate));
  const reelOf = createReelNames();
  const perSecond = Math.round((rate.num / rate.den) * 1000) / 1000;
  const lines = [
    `TITLE: ${toLine(title)}`,
    `FCM: ${dropsFrames(rate) ? 'DROP FRAME' : 'NON-DROP FRAME'}`,
    `* RECORD RATE: ${perSecond} FRAMES A SECOND`,
    ...omitted.map((sentence) => `* LEFT OUT: ${toLine(sentence)}`),
  ];
  let recorded = parseTimecode(dropsFrames(rate) ? '01:00:00;00' : '01:00:00:00', rate);
  for (const [i, entry] of entries.entries()) {
    const length = convertFrames(countFrames(entry, entry.facts.rate), entry.facts.rate, rate);
    lines.push('', ...describeEvent(i + 1, entry, reelOf(entry), { from: recorded, to: recorded + length, rate }));
    recorded += length;
  }
  return `${lines.join('\r\n')}\r\n`;
}

function describeEvent(
  number: number,
  entry: CutListEntry,
  reel: string,
  record: { from: number; to: number; rate: Rate },
): string[] {
  const { name, filename, location, facts, start } = entry;
  const { rate, timecode, audio } = facts;
  // A source without a timecode counts from zero, and drops numbers as the record side does.
  const drop = dropsFrames(rate) && (timecode === null || /[;.]/.test(timecode));
  const origin = timecode === null ? 0 : parseTimecode(timecode, rate);
  const from = origin + toFrames(start, rate);
  const to = from + countFrames(entry, rate);
  const channels = !audio ? 'V' : audio.channels === 1 ? 'B' : 'AA/V';
  const times = [
    formatTimecode(from, rate, drop),
    formatTimecode(to, rate, drop),
    formatTimecode(record.from, record.rate),
    formatTimecode(record.to, record.rate),
  ];
  const event = `${String(number).padStart(3, '0')}  ${reel.padEnd(8)} ${channels.padEnd(5)} C        ${times.join(' ')}`;
  const differs = rate.num * record.rate.den !== record.rate.num * rate.den;
  return [
    event,
    `* FROM CLIP NAME: ${toLine(filename)}`,
    ...(location === null ? [] : [`* SOURCE FILE: ${toLine(location)}`]),
    ...(name === filename ? [] : [`* COMMENT: ${toLine(name)}`]),
    ...(differs ? [`* SOURCE RATE: ${Math.round((rate.num / rate.den) * 1000) / 1000} FRAMES A SECOND`] : []),
  ];
}

const maxReelLength = 8;

/** Names for sources as the format has them: up to eight capital letters and digits, of each video another. */
function createReelNames(): (entry: CutListEntry) => string {
  const names = new Map<string, string>();
  const used = new Set<string>();
  return ({ mediaId, filename }) => {
    const known = names.get(mediaId);
    if (known !== undefined) return known;
    const stem =
      path
        .parse(filename)
        .name.toUpperCase()
        .replaceAll(/[^A-Z0-9]/g, '') || 'REEL';
    let reel = stem.slice(0, maxReelLength);
    for (let number = 2; used.has(reel); number++) {
      reel = `${stem.slice(0, maxReelLength - String(number).length)}${number}`;
    }
    names.set(mediaId, reel);
    used.add(reel);
    return reel;
  };
}

/** A text on one line. */
const toLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();
