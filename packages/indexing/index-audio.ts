import path from 'node:path';
import { readChapters } from '@media-search/media/chapters';
import { describeTruncation, isTruncated } from '@media-search/media/detect-truncation';
import { writeSizes } from '@media-search/media/encode-image';
import { checkDuration } from '@media-search/media/media-limits';
import { posterSizes } from '@media-search/media/picture-sizes';
import type { ProbedMedia } from '@media-search/media/probe-video';
import { readCover } from '@media-search/media/read-cover';
import { readSound } from '@media-search/media/read-sound';
import { readVideoTags } from '@media-search/media/read-video-tags';
import { playsInBrowsers, renderSound } from '@media-search/media/render-sound';
import { createEnvelope, type SoundEnvelope } from '@media-search/media/sound-envelope';
import { toItemClock } from '@media-search/media/subtitles';
import { readPlaceholder } from '@media-search/media/thumbnails';
import { UnreadableMediaError } from '@media-search/media/unreadable-media-error';
import { drawWaveform, writeWaveform } from '@media-search/media/write-waveform';
import { cutSound } from './cut-sound.ts';
import type { IndexedMedia, IndexingTask } from './indexed-media.ts';
import { toTextLines } from './text-lines.ts';

/** Longest side of the picture that hits show, pixels. */
const hitSide = 640;
/** Share of the progress that listening takes when a rendition has to be made as well, and when not. */
const listeningShareWithRendition = 0.5;
const listeningShareAlone = 0.98;

/**
 * Indexes a recording without pictures: its waveform, its cover, chunks by time without vectors, and what its file says of itself. It is found by what is said
 * in it, by its name and by its tags. Throws `UnreadableMediaError`.
 * @param probed its headers; the caller closes it
 */
export async function indexAudio(task: IndexingTask, probed: ProbedMedia, mimeType: string): Promise<IndexedMedia> {
  const { outputDirectory, onProgress } = task;
  await task.checkDuration(probed.duration);
  const plays = playsInBrowsers(probed, mimeType);
  const share = plays ? listeningShareAlone : listeningShareWithRendition;
  const { envelope, damaged } = await listen(task, probed, (fraction) => onProgress('analysing', share * fraction));
  const { seconds: duration } = envelope;
  const truncated = await isTruncated(task.path, mimeType);
  onProgress('rendering', share);
  const cover = probed.cover ? await readCover(task.path, task) : null;
  const picture = cover ?? drawWaveform(envelope);
  const posters = posterSizes(picture);
  await writeSizes(
    picture,
    posters.map(({ side, file }) => ({ side, file: path.join(outputDirectory, file) })),
  );
  await writeWaveform(outputDirectory, envelope);
  const poster = (posters.at(-1) as (typeof posters)[number]).file;
  const thumbnail = posters.findLast(({ side }) => side <= hitSide)?.file ?? poster;
  const source = { source: task.path, duration };
  const rendition = plays
    ? null
    : await renderSound(source, outputDirectory, task, (fraction) =>
        onProgress('rendering', share + (listeningShareAlone - share) * fraction),
      );
  onProgress('storing', 0.99);
  const { recording, details } = readVideoTags(probed, mimeType);
  const chapters = toItemClock(await readChapters(task.path, probed.container), probed.startTime);
  return {
    type: 'audio',
    mimeType,
    duration,
    // Of what stands for it in lists.
    width: picture.width,
    height: picture.height,
    poster,
    placeholder: await readPlaceholder(path.join(outputDirectory, poster)),
    rendition,
    tags: probed.tags,
    rating: null,
    // Nothing is seen in it.
    fingerprint: [],
    recording,
    details: { ...details, ...(cover ? { cover: true } : {}) },
    warning: truncated ? describeTruncation({ duration, stated: probed.duration }) : damaged ? damagedWarning : null,
    // No vectors either.
    chunks: cutSound(envelope).map((span) => ({ ...span, thumbnail, blank: false, embeddings: [] })),
    texts: toTextLines([], chapters, duration),
  };
}

const damagedWarning = {
  code: 'audio_damaged',
  message: 'Parts of this recording cannot be decoded. What could be read of it is indexed.',
} as const;

/** Hears a recording to its end. */
async function listen(
  task: IndexingTask,
  { duration: stated }: ProbedMedia,
  onProgress: (fraction: number) => void,
): Promise<{ envelope: SoundEnvelope; damaged: boolean }> {
  const envelope = createEnvelope();
  const sound = readSound(task.path, { ...task, from: 0, duration: Infinity });
  let next = await sound.next();
  for (; !next.done; next = await sound.next()) {
    if (task.limits) checkDuration(next.value.start, task.limits);
    envelope.push(next.value);
    onProgress(stated > 0 ? Math.min(1, next.value.start / stated) : 0);
  }
  if (next.value.seconds === 0) {
    throw new UnreadableMediaError(
      'unsupported_codec',
      'The sound of this file cannot be decoded here. Convert it to MP3 and upload that.',
    );
  }
  return { envelope: envelope.finish(), damaged: next.value.damaged };
}
