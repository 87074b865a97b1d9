import type { EmbedderReference } from '@media-search/models/embedder';
import type { LoadableModel } from '@media-search/models/semantic/semantic-embedder';

export type TextTask =
  /** Embeds a query. */
  | { kind: 'embed'; reference: EmbedderReference; query: string }
  /** Tests both towers of a model; returns the dimensions of its vectors. */
  | { kind: 'try'; model: LoadableModel }
  /** Tests both towers of the built-in embedder. */
  | { kind: 'try-builtin'; reference: EmbedderReference };

export type TextResult = {
  embed: { vector: number[] | null; unknown: string[]; sentence?: number[] | null | undefined };
  try: number;
  'try-builtin': null;
};

/** The result of a task, and the memory of the process that ran it, in bytes, including the model's memory outside of JavaScript. */
export type TextAnswer<Kind extends TextTask['kind']> = { result: TextResult[Kind]; memory: number };
