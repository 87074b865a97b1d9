import type { Moment, RgbImage } from '@media-search/media/rgb-image';
import type { ScoreTraits } from '@media-search/search-engine/ranking/score-traits';

/** The embeddings of a chunk: unit vectors. */
export type EmbeddedChunk = {
  /** The vector of the chunk as a whole. */
  vector: Float32Array;
  /** The vector of each of its moments. */
  moments: Float32Array[];
  /** The things that its detector saw in each moment, as `encodeFrames` writes them; absent where it has none. */
  things?: Uint8Array;
};

/** The sound of a chunk: mono, -1..1, 16,000 samples a second; null: there is none. */
export type ChunkSound = Float32Array | null;

/** The embedding of a text query. */
export type TextEmbedding = {
  /** Unit vector in the space of the chunk vectors, or null when no word of the query has a visual meaning here. */
  vector: Float32Array | null;
  /** The words and phrases of the query that this embedder could not read, in order, as the user wrote them. */
  unknown: string[];
  /** Unit vector in the space of passages (`sentence-model.ts`), where the embedder computes it by the way; null when no word can be read. */
  sentence?: Float32Array | null;
};

/** The embedders that come with the service. Their kinds are their names as well. */
export const includedKinds = ['builtin', 'descriptors'] as const;

/** What a process needs to load an embedder. Goes between processes as JSON. */
export type EmbedderReference =
  | { kind: (typeof includedKinds)[number]; id: string; dimensions: number }
  | {
      kind: 'semantic';
      id: string;
      dimensions: number;
      /** Absolute path of a folder in the Hugging Face layout. */
      folder: string;
      family: ModelFamily;
      precision: ModelPrecision;
    };

/** Which text and image towers a model has, and so how its inputs are made. */
export type ModelFamily = 'clip' | 'siglip' | 'embedding-gemma';
/** The precision of the weights, as transformers.js names them: half or single precision floats, or 8 bit integers. */
export type ModelPrecision = 'fp32' | 'fp16' | 'q8';

/** The traits of an embedder, known without running it: its capabilities, and how to interpret its similarities. */
export type EmbedderTraits = ScoreTraits & {
  /** Whether what words have by chance is sampled in each workspace, instead of `chanceMargins`. */
  samplesChance: boolean;
  /** Longest side in pixels to which photographs are scaled down for it. With less it would find a little less. */
  maxPhotoSide: number;
  /** Crops of a photograph that are embedded besides the whole: fewer where an image takes long. */
  cropCount: 3 | 5;
  /** The subjects of its vocabulary, if that is limited; null: it embeds any text. */
  vocabulary: string | null;
  /**
   * How many leading numbers of its vectors say what an image shows; the others say how the whole of it looks, which its parts say nothing
   * about. Null: all.
   */
  contentDimensions: number | null;
  /** Whether it takes the sound of a chunk. */
  hears: boolean;
  /** Whether it embeds an image together with words (`embedComposed`). */
  composes: boolean;
  /** To how many leading numbers its vectors may be cut (Matryoshka representations, Kusupati et al. 2022). */
  shorterDimensions: readonly number[];
  /** Whether it embeds texts in a process of its own, because its weights take much memory and native code runs them. */
  needsTextProcess: boolean;
  /** Whether its chunks have `things`: what of objects and classes it recognised. */
  recognisesThings: boolean;
};

/** A model that places images and texts in one vector space, where the dot product of unit vectors is the similarity. */
export type Embedder = EmbedderTraits & {
  /** Identifies model, revision and precision. Vectors of different ids are never compared. */
  id: string;
  kind: EmbedderReference['kind'];
  dimensions: number;
  /**
   * Each chunk is a non-empty list of moments in order of time.
   * @param sounds of the chunks, which an embedder that takes none ignores
   */
  embedChunks(chunks: Moment[][], sounds?: ChunkSound[]): Promise<EmbeddedChunk[]>;
  embedText(query: string): Promise<TextEmbedding>;
  /** The unit vector of an image and words together, as a query; missing where it does not compose. */
  embedComposed?(image: RgbImage, words: string): Promise<Float32Array>;
};
