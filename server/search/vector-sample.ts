type Sampled = { number: number; vector: Float32Array };

/** Sample size for the background of a workspace, in chunks. */
const sampleSize = 500;

export type VectorSample = ReturnType<typeof createVectorSample>;

/** Chunk vectors drawn evenly from a stream of them (reservoir sampling, Vitter 1985). */
export function createVectorSample() {
  let entries: Sampled[] = [];
  let seen = 0;
  return {
    entries: (): readonly Sampled[] => entries,

    /** Offers the next vector of the stream to the sample. */
    add(number: number, vector: Float32Array): void {
      seen += 1;
      if (entries.length < sampleSize) {
        entries.push({ number, vector });
        return;
      }
      const place = Math.floor(Math.random() * seen);
      if (place < sampleSize) entries[place] = { number, vector };
    },

    /**
     * Starts with chunks that are stored, as if each of them had been added.
     * @param read reads the vectors of the drawn chunks
     */
    async fill(numbers: number[], read: (drawn: number[]) => Promise<Map<number, Float32Array>>): Promise<void> {
      const drawn =
        numbers.length <= sampleSize
          ? numbers
          : Array.from(
              { length: sampleSize },
              (_, i) => numbers[Math.floor(((i + Math.random()) * numbers.length) / sampleSize)] as number,
            );
      entries = Array.from(await read(drawn), ([number, vector]) => ({ number, vector }));
      seen = numbers.length;
    },

    remove(numbers: Set<number>): void {
      entries = entries.filter(({ number }) => !numbers.has(number));
    },
  };
}
