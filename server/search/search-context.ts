import type { MediaFilter } from '../../contract/filters.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { ChunkSelector } from './chunk-selection.ts';
import type { StageTimer } from './stage-timer.ts';
import type { TextIndex } from './text-index.ts';
import type { TextQuery } from './text/text-query.ts';
import type { WorkspaceIndex } from './workspace-index.ts';

/** One search: workspace, query and filter. */
export type SearchContext = {
  db: Catalog;
  texts: TextIndex;
  selectChunks: ChunkSelector;
  index: WorkspaceIndex;
  filter: MediaFilter;
  timer: StageTimer;
  /** The embedding of the query by the active embedder; null when no word of it has a visual meaning there. */
  vector: Float32Array | null;
  text: TextQuery;
};
