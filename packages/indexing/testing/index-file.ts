import { descriptorsEmbedder } from '../../models/descriptors/descriptors-embedder.ts';
import { indexMedia } from '../index-media.ts';
import type { IndexedMedia } from '../indexed-media.ts';

type Options = Pick<Parameters<typeof indexMedia>[0], 'embedders' | 'signal' | 'limits' | 'filename' | 'onProgress'>;

/** Indexes a file under the descriptors, in this process; thumbnails and renditions go to a folder. */
export const indexFile = (
  path: string,
  outputDirectory: string,
  options: Partial<Options> = {},
): Promise<IndexedMedia> =>
  indexMedia({
    path,
    filename: 'file',
    outputDirectory,
    embedders: [descriptorsEmbedder],
    signal: new AbortController().signal,
    checkDuration: () => Promise.resolve(),
    onProgress: () => undefined,
    ...options,
  });
