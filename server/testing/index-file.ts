import { descriptorsEmbedder } from '../../packages/models/descriptors/descriptors-embedder.ts';
import type { IndexedMedia } from '../catalog/media/indexed-media.ts';
import { indexMedia } from '../jobs/index-media.ts';

type Options = Pick<Parameters<typeof indexMedia>[0], 'signal' | 'limits' | 'filename' | 'onProgress'>;

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
