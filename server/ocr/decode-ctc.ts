/** A character that a line shows. */
export type ReadCharacter = {
  character: string;
  /** Probability, 0..1. */
  confidence: number;
};

/**
 * Best-path decoding of connectionist temporal classification (Graves et al. 2006): the likeliest class of each time step, repeats
 * joined, blanks (class 0) left out.
 * @param probabilities of a class at each step, steps × classes
 * @param characters of classes 1, 2, …
 */
export function decodeCtc(probabilities: Float32Array, classes: number, characters: string[]): ReadCharacter[] {
  const read: ReadCharacter[] = [];
  let before = 0;
  for (let step = 0; (step + 1) * classes <= probabilities.length; step++) {
    const row = probabilities.subarray(step * classes, (step + 1) * classes);
    let best = 0;
    for (let i = 1; i < classes; i++) if ((row[i] as number) > (row[best] as number)) best = i;
    const last = read.at(-1);
    if (best !== 0 && best === before && last) {
      last.confidence = Math.max(last.confidence, row[best] as number);
    } else if (best !== 0) {
      const character = characters[best - 1];
      if (character !== undefined) read.push({ character, confidence: row[best] as number });
    }
    before = best;
  }
  return read;
}
