import path from 'node:path';
import type { MediaType } from '../../../contract/media.ts';

/** Names that Windows keeps for devices, with any ending. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;
/** A longer name is cut, bytes in UTF-8; file systems allow 255, and a number may follow. */
const maxBytes = 200;

/** A name that is a single file name on Windows, macOS and Linux, and looks like what it was made from. */
export function toSafeName(name: string): string {
  const visible = name
    .toWellFormed()
    .normalize('NFC')
    // oxlint-disable-next-line no-control-regex -- these are what has to go
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .replaceAll(/[<>:"/\\|?*]/g, '_')
    .replaceAll(/^[\s.]+|[\s.]+$/g, '');
  const { name: stem, ext } = path.parse(visible);
  const safe = reserved.test(stem.split('.')[0] ?? '') ? `_${stem}` : stem;
  return `${cutToBytes(safe, maxBytes - Buffer.byteLength(shortEnding(ext)))}${shortEnding(ext)}` || 'file';
}

/** An ending longer than this is part of the name. */
const shortEnding = (ending: string): string => (Buffer.byteLength(ending) <= 16 ? ending : '');

function cutToBytes(text: string, most: number): string {
  let length = 0;
  let cut = '';
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > most) break;
    cut += character;
  }
  return cut.trimEnd();
}

/** Gives each file of an archive a name that no other has, also where capital letters do not count. */
export function createUniqueNames(): (name: string) => string {
  const used = new Set<string>();
  /** The number that the last file of a name got. */
  const numbers = new Map<string, number>();
  return (name) => {
    const { name: stem, ext } = path.parse(name);
    let unique = name;
    let number = numbers.get(name.toLowerCase()) ?? 1;
    while (used.has(unique.toLowerCase())) {
      number += 1;
      unique = `${stem} (${number})${ext}`;
    }
    numbers.set(name.toLowerCase(), number);
    used.add(unique.toLowerCase());
    return unique;
  };
}

/** The name of a clip of a file: `harbour 00.00.12.500-00.00.17.000.mp4`. */
export function clipName(filename: string, { start, end }: { start: number; end?: number }, ending: string): string {
  const stem = path.parse(filename).name;
  return `${stem} ${clock(start)}${end === undefined ? '' : `-${clock(end)}`}.${ending}`;
}

/** The ending of a clip of an item: one without pictures is sound in the same container. */
export const endingOfClip = (type: MediaType): 'mp4' | 'm4a' => (type === 'audio' ? 'm4a' : 'mp4');

/** `00.00.12.500`, as a file name can hold it. */
const clock = (seconds: number): string =>
  new Date(Math.round(seconds * 1000)).toISOString().slice(11, 23).replaceAll(':', '.');
