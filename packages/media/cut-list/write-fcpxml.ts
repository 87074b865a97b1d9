import type { CutList, CutListEntry } from './cut-list.ts';
import { toFileUrl } from './file-url.ts';
import {
  convertFrames,
  countFrames,
  dropsFrames,
  mostCommonRate,
  parseTimecode,
  type Rate,
  toFrames,
} from './timecode.ts';

/**
 * A cut list as FCPXML 1.10, which Final Cut Pro 10.6 and later and DaVinci Resolve read: a project with the clips one after the other. Times
 * are fractions of a second that hold whole frames. Assets name the places of their files; where those are not known, the files without a folder, so that
 * the program asks for the folder once.
 */
export function writeFcpxml({ title, entries, omitted }: CutList): string {
  const rate = mostCommonRate(entries.map(({ facts }) => facts.rate));
  const [largest] = entries.toSorted((a, b) => b.width * b.height - a.width * a.height);
  const { width, height } = largest ?? { width: 1920, height: 1080 };
  const resources = createResources();
  const sequenceFormat = resources.format({ width, height, rate });
  let offset = 0;
  const clips = entries.map((entry) => {
    const asset = resources.asset(entry);
    const frames = convertFrames(countFrames(entry, entry.facts.rate), entry.facts.rate, rate);
    const start = firstFrameOf(entry) + toFrames(entry.start, entry.facts.rate);
    const clip = tag('asset-clip', {
      ref: asset,
      offset: toTime(offset, rate),
      name: entry.name,
      start: toTime(start, entry.facts.rate),
      duration: toTime(frames, rate),
      tcFormat: tcFormat(entry.facts.rate),
      ...(entry.facts.audio ? { audioRole: 'dialogue' } : {}),
    });
    offset += frames;
    return clip;
  });
  const spine = tag('spine', {}, clips);
  const sequence = tag(
    'sequence',
    { format: sequenceFormat, duration: toTime(offset, rate), tcStart: '0s', tcFormat: tcFormat(rate) },
    [spine],
  );
  const event = tag('event', { name: title }, [tag('project', { name: title }, [sequence])]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE fcpxml>',
    ...omitted.map((sentence) => `<!-- Left out: ${escape(sentence).replaceAll(/-(?=-)/g, '- ')} -->`),
    tag('fcpxml', { version: '1.10' }, [tag('resources', {}, resources.list()), tag('library', {}, [event])]),
    '',
  ].join('\n');
}

/** Formats and assets, each once. */
function createResources() {
  const elements = new Map<string, { id: string; element: string }>();
  const add = (key: string, describe: (id: string) => string): string => {
    const known = elements.get(key);
    if (known) return known.id;
    const id = `r${elements.size + 1}`;
    elements.set(key, { id, element: describe(id) });
    return id;
  };
  const format = ({ width, height, rate }: { width: number; height: number; rate: Rate }): string =>
    add(`format ${width} ${height} ${rate.num}/${rate.den}`, (id) =>
      tag('format', { id, frameDuration: toTime(1, rate), width: String(width), height: String(height) }),
    );
  return {
    format,
    asset(entry: CutListEntry): string {
      const { facts, filename, duration, mediaId, width, height } = entry;
      const { rate, audio } = facts;
      const formatId = format({ width, height, rate });
      return add(`asset ${mediaId}`, (id) =>
        tag(
          'asset',
          {
            id,
            name: filename,
            start: toTime(firstFrameOf(entry), rate),
            duration: toTime(Math.max(1, toFrames(duration, rate)), rate),
            hasVideo: '1',
            format: formatId,
            videoSources: '1',
            ...(audio && {
              hasAudio: '1',
              audioSources: '1',
              audioChannels: String(audio.channels),
              audioRate: String(audio.sampleRate),
            }),
          },
          [tag('media-rep', { kind: 'original-media', src: addressOf(entry) })],
        ),
      );
    },
    list: () => [...elements.values()].map(({ element }) => element),
  };
}

const addressOf = ({ location, filename }: CutListEntry): string =>
  (location === null ? null : toFileUrl(location)) ?? `./${encodeURIComponent(filename.toWellFormed())}`;

const firstFrameOf = ({ facts: { timecode, rate } }: CutListEntry): number =>
  timecode === null ? 0 : parseTimecode(timecode, rate);

const tcFormat = (rate: Rate): string => (dropsFrames(rate) ? 'DF' : 'NDF');

/** A number of frames as FCPXML writes a time: `1001/30000s`, or `3s` where it is whole. */
function toTime(frames: number, { num, den }: Rate): string {
  const ticks = frames * den;
  return ticks % num === 0 ? `${ticks / num}s` : `${ticks}/${num}s`;
}

function tag(name: string, attributes: Record<string, string>, children: string[] = []): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escape(value)}"`)
    .join('');
  if (children.length === 0) return `<${name}${written}/>`;
  const inner = children.map((child) => child.replaceAll(/^/gm, '  ')).join('\n');
  return `<${name}${written}>\n${inner}\n</${name}>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** Text as XML 1.0 can hold it: characters that it has no way to write are left out. */
const escape = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- these are what XML cannot hold
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll(/[\t\r\n]/g, ' ')
    .replaceAll(/[&<>"']/g, (character) => entities[character] as string);
