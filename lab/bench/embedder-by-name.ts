import path from 'node:path';
import type { EmbedderReference } from '@media-search/models/embedder';
import { builtinReference, descriptorsReference } from '@media-search/models/load-embedder';
import { readModelFolder } from '@media-search/models/semantic/model-folder';

/** The embedder of a name as `EMBEDDER` has it: `builtin`, `descriptors`, or the folder of a model. */
export async function findReference(name: string): Promise<EmbedderReference> {
  if (name === 'builtin') return builtinReference;
  if (name === 'descriptors') return descriptorsReference;
  const model = await readModelFolder(path.resolve(name));
  return { kind: 'semantic', id: path.basename(name), dimensions: 0, ...model };
}
