import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { embedSpans } from '@media-search/indexing/embed-chunks';
import { indexMedia } from '@media-search/indexing/index-media';
import { readRgbImage } from '@media-search/media/decode-image';
import { detectMediaType } from '@media-search/media/detect-media-type';
import type { Embedder } from '@media-search/models/embedder';
import { AV_LOG_ERROR } from 'node-av/constants';
import { Log } from 'node-av/lib';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { isPhotograph } from './judged.ts';
import type { Upload } from './library.ts';

/** A chunk's vector, its file, and the group of the file. */
export type EmbeddedImage = { file: string; group: string; vector: Float32Array };

/**
 * Embeds photographs and clips as indexing does, but without a service, crops and renditions of photographs: a tenth of the work.
 * @param cache a file that keeps the vectors for the next call; delete it when weights or the way they are combined change
 */
export async function embedAll(embedder: Embedder, uploads: Upload[], cache?: string): Promise<EmbeddedImage[]> {
  const kept = cache === undefined ? null : await readFile(cache, 'utf8').catch(() => null);
  if (kept !== null) {
    const images = JSON.parse(kept) as (Omit<EmbeddedImage, 'vector'> & { vector: number[] })[];
    return images.map((image) => ({ ...image, vector: Float32Array.from(image.vector) }));
  }
  Log.setLevel(AV_LOG_ERROR);
  await using folder = await temporaryFolder();
  const images: EmbeddedImage[] = [];
  for (const { group, folder: source, files } of uploads) {
    for (const file of files) {
      const vectors = await embedFile(embedder, path.join(source, file), folder.path);
      images.push(...vectors.map((vector) => ({ file, group, vector })));
    }
  }
  if (cache !== undefined) {
    await writeFile(cache, JSON.stringify(images.map((image) => ({ ...image, vector: [...image.vector] }))));
  }
  return images;
}

async function embedFile(embedder: Embedder, file: string, outputDirectory: string): Promise<Float32Array[]> {
  if (isPhotograph(file)) {
    const mimeType = (await detectMediaType(file))?.mimeType;
    if (mimeType === undefined) throw new Error(`${file} is no image.`);
    const image = await readRgbImage(file, mimeType, embedder.maxPhotoSide);
    return (await embedSpans(embedder, [[{ image, next: null }]])).map(({ vector }) => vector);
  }
  const { chunks } = await indexMedia({
    path: file,
    filename: path.basename(file),
    outputDirectory,
    embedders: [embedder],
    signal: new AbortController().signal,
    checkDuration: () => Promise.resolve(),
    onProgress: () => undefined,
  });
  return chunks.flatMap(({ embeddings }) => embeddings.map(({ vector }) => vector));
}
