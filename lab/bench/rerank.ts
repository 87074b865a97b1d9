import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { indexMedia } from '@media-search/indexing/index-media';
import type { ChunkEmbedding } from '@media-search/indexing/indexed-media';
import { cropImage } from '@media-search/media/crop-image';
import { detectMediaType } from '@media-search/media/detect-media-type';
import type { Embedder } from '@media-search/models/embedder';
import { createEmbedderLoader } from '@media-search/models/load-embedder';
import { dot } from '@media-search/search-engine/vectors';
import { rerankDepth, viewSimilarity } from '../../server/search/rerank/scoring.ts';
import { findReference } from './embedder-by-name.ts';

/**
 * What re-ranking by the vectors of parts brings, and what these cost while indexing: recall of labelled photographs and clips by the
 * vector of the whole alone; re-ranked by parts (three or five crops of photographs, moments of clips), also when these are rounded to 8 bits,
 * as they are stored; and by crops of moments besides. A photograph is described by its name, after a WordNet number if it begins
 * with one; clips by a file with a header and in each line a name and a sentence.
 *
 *     npm run node -- lab/bench/rerank.ts --embedder <builtin|descriptors|folder> --photos <folder> --clips <folder> --captions <file.tsv>
 */

const { values } = parseArgs({
  options: {
    embedder: { type: 'string', default: 'builtin' },
    photos: { type: 'string' },
    clips: { type: 'string' },
    captions: { type: 'string' },
  },
});

type Described = { file: string; caption: string };
/** `views` are five crops of a photograph or the moments of a clip; `crops` three crops of a photograph, or those of the moments. */
type Chunk = ChunkEmbedding & { file: string; crops: Float32Array[] };
type Similarity = (query: Float32Array, chunk: Chunk) => number;

const embedder = await createEmbedderLoader(2)(await findReference(values.embedder));
/** Without the crops of photographs. */
const wholeOnly: Embedder = { ...embedder, embedChunks: (chunks) => embedder.embedChunks(chunks.slice(0, 1)) };
/** With crops of moments as well: what they give is left in `cropsOfMoments`. */
let cropsOfMoments: Float32Array[][] = [];
const withCrops: Embedder = {
  ...embedder,
  async embedChunks(chunks) {
    for (const moments of chunks) {
      const crops = moments.flatMap(({ image }) =>
        cropImage(image, embedder.cropCount).map((crop) => [{ image: crop, next: null }]),
      );
      cropsOfMoments.push((await embedder.embedChunks(crops)).map(({ vector }) => vector));
    }
    return embedder.embedChunks(chunks);
  },
};

const folder = await mkdtemp(path.join(tmpdir(), 'media-search-bench-'));
try {
  if (values.photos !== undefined) await measurePhotos(values.photos);
  if (values.clips !== undefined && values.captions !== undefined) await measureClips(values.clips, values.captions);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function index(file: string, by: Embedder): Promise<ChunkEmbedding[]> {
  const indexed = await indexMedia({
    path: file,
    filename: path.basename(file),
    outputDirectory: folder,
    embedders: [by],
    checkDuration: () => Promise.resolve(),
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  return indexed.chunks.flatMap(({ embeddings }) => embeddings);
}

async function measurePhotos(photos: string): Promise<void> {
  const chunks: Chunk[] = [];
  const described: Described[] = [];
  const milliseconds = { whole: 0, three: 0, five: 0 };
  for (const file of await readdir(photos)) {
    const target = path.join(photos, file);
    if ((await detectMediaType(target))?.type !== 'image') continue;
    const timed = async (way: keyof typeof milliseconds, by: Embedder) => {
      const { user, system } = process.cpuUsage();
      const embeddings = await index(target, by);
      const used = process.cpuUsage();
      milliseconds[way] += (used.user + used.system - user - system) / 1000;
      return embeddings;
    };
    await timed('whole', wholeOnly);
    const [three] = await timed('three', { ...embedder, cropCount: 3 });
    const five = await timed('five', { ...embedder, cropCount: 5 });
    chunks.push(...five.map((embedding) => ({ ...embedding, file, crops: three?.views ?? [] })));
    const [name = ''] = file.replace(/^n\d{8}_/, '').split('.');
    described.push({ file, caption: name.replaceAll(/[_-]+/g, ' ').toLowerCase() });
  }
  const each = (sum: number) => (sum / described.length).toFixed(0);
  const [whole, three, five] = [each(milliseconds.whole), each(milliseconds.three), each(milliseconds.five)];
  console.log(`indexing a photograph: ${whole} ms of processor time, with three crops ${three}, with five ${five}\n`);
  await report(`${described.length} photographs`, described, chunks, {
    'not re-ranked': (query, { vector }) => dot(vector, query),
    'by three crops': (query, { vector, crops }) => viewSimilarity(query, vector, crops),
    'by five crops': (query, { vector, views }) => viewSimilarity(query, vector, views),
    'by five crops in 8 bits': (query, { vector, views }) => viewSimilarity(query, vector, views.map(roundTo8Bits)),
  });
}

async function measureClips(clips: string, captions: string): Promise<void> {
  const [, ...lines] = (await readFile(captions, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const described = lines.map((line): Described => {
    const [file = '', caption = ''] = line.split('\t');
    return { file, caption };
  });
  const chunks: Chunk[] = [];
  for (const { file } of described) {
    cropsOfMoments = [];
    const embeddings = await index(path.join(clips, file), withCrops);
    chunks.push(...embeddings.map((embedding, i) => ({ ...embedding, file, crops: cropsOfMoments[i] ?? [] })));
  }
  await report(`${described.length} clips, ${chunks.length} chunks`, described, chunks, {
    'not re-ranked': (query, { vector }) => dot(vector, query),
    'by moments': (query, { vector, views }) => viewSimilarity(query, vector, views),
    'by moments in 8 bits': (query, { vector, views }) => viewSimilarity(query, vector, views.map(roundTo8Bits)),
    'by moments and their crops': (query, { vector, views, crops }) =>
      viewSimilarity(query, vector, [...views, ...crops]),
  });
}

async function report(name: string, described: Described[], chunks: Chunk[], ways: Record<string, Similarity>) {
  console.log(`| ${name} | recall at 1 | at 5 | at 10 | mean reciprocal rank |`);
  console.log('| --- | --- | --- | --- | --- |');
  for (const [way, similarity] of Object.entries(ways)) {
    const ranks: number[] = [];
    for (const { file, caption } of described) {
      const { vector: query } = (await embedder.embedText(caption)) as { vector: Float32Array };
      const order = chunks.toSorted((a, b) => dot(b.vector, query) - dot(a.vector, query));
      const first = order.slice(0, rerankDepth).map((chunk) => ({ chunk, similarity: similarity(query, chunk) }));
      const reranked = first.toSorted((a, b) => b.similarity - a.similarity).map(({ chunk }) => chunk);
      const files = new Set([...reranked, ...order.slice(rerankDepth)].map((chunk) => chunk.file));
      ranks.push([...files].indexOf(file) + 1);
    }
    const recall = (at: number) => (ranks.filter((rank) => rank <= at).length / ranks.length).toFixed(3);
    const reciprocal = ranks.reduce((sum, rank) => sum + 1 / rank, 0) / ranks.length;
    console.log(`| ${way} | ${recall(1)} | ${recall(5)} | ${recall(10)} | ${reciprocal.toFixed(3)} |`);
  }
  console.log('');
}

function roundTo8Bits(vector: Float32Array): Float32Array {
  const step = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127 || 1;
  return vector.map((value) => step * Math.round(value / step));
}
