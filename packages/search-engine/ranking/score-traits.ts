/** The cosines from which two chunks count as near-duplicates. They differ between embedders. */
export type DuplicateThresholds = {
  /** From this cosine on any two chunks count as copies of each other. */
  copy: number;
  /** From this one on two chunks of one item do that follow each other closely. */
  continuation: number;
};

/** For a query of up to three words that say something, for one of more, and for an image. */
type ChanceMargins = { phrase: number; sentence: number; image: number };

/** What words that nobody picked for a workspace have there by chance (`sampled-chance.ts`), by one embedder. */
export type SampledChance = {
  /** The standard score that the best chunk reaches by chance: what stands out less is said to be missing. */
  score: number;
  /** The highest mean and deviation that similarities to a word have where it is not what the workspace shows. */
  mean: number;
  deviation: number;
};

/** The traits of an embedder by which similarities are judged. */
export type ScoreTraits = {
  /**
   * From which cosine on two chunks show the same: any two (`copy`), and two that follow each other in one item
   * (`continuation`). Measured over re-encoded, scaled and trimmed copies against other clips.
   */
  duplicateThresholds: DuplicateThresholds;
  /** Standard scores of similarities to a text below which a hit is no better than what chance brings, in a large workspace. */
  weakBelow: number;
  /**
   * Standard deviations above the best similarity by chance that the best one reaches where something fits, by how much a query says; below 0
   * where what fits is often found by less. Null: not measured, and then no search says for it that nothing fits.
   */
  chanceMargins: ChanceMargins | null;
  /** How far similarities to a text usually spread over mixed images: their standard deviation. */
  spread: number;
  /** What similarities to any text are over mixed images on average, if that is known. Null: it is taken from each workspace. */
  mean: number | null;
  /** Whether the duplicate thresholds were measured for this very embedder. If not, they are calibrated in each workspace. */
  hasMeasuredThresholds: boolean;
  /** What was sampled in the workspace that is searched; undefined where it was not, and then the margins count. */
  chance?: SampledChance | undefined;
};
