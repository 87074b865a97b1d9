import type { EmbedderReference } from '../models/embedder.ts';
import type { LoadableModel } from '../models/semantic/semantic-embedder.ts';

export type TextTask =
  /** Embeds a query. */
  | { kind: 'embed'; reference: EmbedderReference; query: string }
  /** Tries both towers of a model; gives the dimensions of its vectors. */
  | { kind: 'try'; model: LoadableModel };

export type TextResult = { embed: number[]; try: number };

/** What a task gave, and the memory of the process that ran it, with what the model takes outside of JavaScript, bytes. */
export type TextAnswer<Kind extends TextTask['kind']> = { result: TextResult[Kind]; memory: number };
