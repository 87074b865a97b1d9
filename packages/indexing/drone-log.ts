import { position } from '@media-search/media/file-tags';
import type { IndexedMedia, TextLine } from './indexed-media.ts';
import { namePlace } from './name-place.ts';

/** At most so many lines are looked at in search of a position: a drone that finds none at its start has one within minutes. */
const maxLines = 20_000;
/** What is looked at of a line, characters: a note has about 500, and what repeats a word without end takes the square of its length. */
const maxNote = 1000;
/** By so many of its first lines a track is told. */
const toldBy = 3;

const number = String.raw`(-?\d{1,3}(?:\.\d{1,15})?)`;
/** DJI's form since 2018, in which some firmware misspells a word, and the one before, whose longitude stands first. */
const named = new RegExp(String.raw`\[latitude\s*:\s*${number}\].*?\[longt?itude\s*:\s*${number}\]`, 's');
const inBrackets = new RegExp(String.raw`\bGPS\s*\(\s*${number}\s*,\s*${number}\s*,`);

/** Whether a line of subtitles is what a drone noted for a frame: exposure and position. */
const isNote = ({ text: line }: TextLine): boolean => {
  const text = line.slice(0, maxNote);
  return /\[(?:iso|shutter|latitude)\s*:/i.test(text) || (inBrackets.test(text) && /\bISO\b/.test(text));
};

/** The position of a note; nulls where the drone had none yet. */
function positionOf({ text: line }: TextLine) {
  const text = line.slice(0, maxNote);
  const [, latitude, longitude] = named.exec(text) ?? [];
  if (longitude !== undefined) return position(Number(latitude), Number(longitude));
  const [, east, north] = inBrackets.exec(text) ?? [];
  return position(Number(north), Number(east));
}

/**
 * A video whose subtitles are the log of a drone, in a track or in a file beside it: they are no words that anybody says, and their first position is
 * that of the video, where its file names none.
 */
export function withDroneLog(indexed: IndexedMedia): IndexedMedia {
  const tracks = Map.groupBy(
    indexed.texts.filter(({ source }) => source === 'subtitle'),
    ({ track }) => track,
  );
  const logs = new Map([...tracks].filter(([, lines]) => lines.slice(0, toldBy).every(isNote)));
  if (logs.size === 0) return indexed;
  const texts = indexed.texts.filter(({ source, track }) => source !== 'subtitle' || !logs.has(track));
  const found = [...logs.values()]
    .flatMap((lines) => lines.slice(0, maxLines))
    .map(positionOf)
    .find(({ latitude }) => latitude !== null);
  const { recording } = indexed;
  if (!found || recording.latitude !== null) return { ...indexed, texts };
  return { ...indexed, texts, recording: namePlace({ ...recording, ...found }) };
}
