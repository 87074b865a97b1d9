import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { nameInFiles } from '@media-search/search-engine/builder/index-file';
import { conceptWords } from '@media-search/search-engine/highlights/concept-words';
import type { ConceptVectors } from '@media-search/search-engine/highlights/match-concepts';
import { replaceFile } from '../../platform/storage/durable-files.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';

/** Tells the words of this release from those of others. */
const wordsHash = createHash('sha256').update(conceptWords.join('\n')).digest('hex').slice(0, 12);

/** What an embedder says of the words of concepts: the file of their vectors, or why there are none, as a sentence. */
export type DescribedConcepts = { file: string; reason: null } | { file: null; reason: string };

export type ConceptVectorStore = ReturnType<typeof createConceptVectors>;

/**
 * The vectors of all concepts by each embedder, computed when they are first needed and kept in files, which the processes read that compare them.
 * @param directory of these files: they depend on no catalog
 */
export function createConceptVectors(directory: string) {
  const known = new Map<string, Promise<DescribedConcepts>>();

  async function describe(embedder: QueryEmbedder): Promise<DescribedConcepts> {
    if (embedder.vocabulary !== null) {
      return { file: null, reason: `The embedder at work reads only words for ${embedder.vocabulary}.` };
    }
    const file = path.join(directory, `${nameInFiles(embedder.id)}-${wordsHash}.concepts`);
    if (await readConceptVectors(file)) return { file, reason: null };
    const vectors = await embedConcepts(embedder);
    await mkdir(directory, { recursive: true });
    await replaceFile(file, (temporary) => writeFile(temporary, serialize(vectors)));
    return { file, reason: null };
  }

  return {
    /** What an embedder says of all concepts. The first time it takes some seconds. Throws `ModelError` when it cannot be run. */
    async read(embedder: QueryEmbedder): Promise<DescribedConcepts> {
      const described = known.get(embedder.id) ?? describe(embedder);
      known.set(embedder.id, described);
      // What failed is tried again by the next request.
      described.catch(() => known.delete(embedder.id));
      return described;
    },
  };
}

/** Those concepts that an embedder can read, with their vectors. */
async function embedConcepts(embedder: QueryEmbedder): Promise<ConceptVectors> {
  const names: string[] = [];
  const vectors: Float32Array[] = [];
  for (const word of conceptWords) {
    const { vector, unknown } = await embedder.embedText(word);
    if (!vector || unknown.length > 0) continue;
    names.push(word);
    vectors.push(vector);
  }
  const values = new Float32Array(names.length * embedder.dimensions);
  for (const [i, vector] of vectors.entries()) values.set(vector, i * embedder.dimensions);
  return { names, values };
}

/** The concepts in a file; null where there is none that can be read. */
export async function readConceptVectors(file: string): Promise<ConceptVectors | null> {
  try {
    return deserialize(await readFile(file)) as ConceptVectors;
  } catch {
    return null;
  }
}
