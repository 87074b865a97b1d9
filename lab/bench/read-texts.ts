import type { ExtractionEnd, ExtractedSegment } from '@media-search/media/extracted-text';
import { includedSpeechModel } from '@media-search/models/speech/speech-models';
import { createTextReaders } from '../../server/jobs/text-readers.ts';

const readers = createTextReaders({ ocr: 'auto', speech: includedSpeechModel(), threads: 1 }, console);

/** Reads a video as a worker does, on one thread. @param duration seconds */
export async function readTexts(
  source: 'ocr' | 'speech',
  file: string,
  duration: number,
): Promise<{ segments: ExtractedSegment[]; end: ExtractionEnd | null }> {
  const read = readers[source];
  if (!read) throw new Error(`Nothing reads ${source}.`);
  const segments: ExtractedSegment[] = [];
  let end: ExtractionEnd | null = null;
  const media = { id: 'bench', type: 'video', mime_type: 'video/mp4', duration, width: null, height: null } as const;
  const signal = new AbortController().signal;
  for await (const event of read({ path: file, media, position: 0, subtitleLines: new Map(), signal })) {
    if ('state' in event) end = event;
    else segments.push(...event.segments);
  }
  return { segments, end };
}
