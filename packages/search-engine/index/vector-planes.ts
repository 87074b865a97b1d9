/** How vectors lie in the memory of an index, and how they become integers; `vector-memory.ts` tells why. */

/** The largest component of a vector: high bytes are then from 1 to 127. */
const largest = 16_255;
/** What is added to high bytes, so that they are not negative. */
export const offset = 64;
export const blockSlots = 256;

/** High or low bytes of a vector: whole steps of the kernel. */
export const planeBytes = (dimensions: number): number => Math.ceil(dimensions / 64) * 64;
/** Bytes of a vector, with its scale. */
export const bytesOfVector = (dimensions: number): number => 2 * planeBytes(dimensions) + 4;
export const blockBytes = (dimensions: number): number => blockSlots * bytesOfVector(dimensions);

/** The largest component, without its sign. */
export function largestOf(vector: Float32Array): number {
  let most = 0;
  for (const value of vector) most = Math.max(most, Math.abs(value));
  return most;
}

/**
 * Vectors as they are stored: rotated.
 * @param first where the first block begins
 */
export function openPlanes(memory: WebAssembly.Memory, dimensions: number, first: number) {
  const bytes = planeBytes(dimensions);
  const blockAt = (slot: number): number => first + (slot >>> 8) * blockBytes(dimensions);
  const highOf = (slot: number) => new Uint8Array(memory.buffer, blockAt(slot) + (slot & 255) * bytes, bytes);
  const lowOf = (slot: number) =>
    new Int8Array(memory.buffer, blockAt(slot) + (blockSlots + (slot & 255)) * bytes, bytes);
  const scaleOf = (slot: number) =>
    new Float32Array(memory.buffer, blockAt(slot) + 2 * blockSlots * bytes + 4 * (slot & 255), 1);
  return {
    /** Writes a vector into a slot; null for a chunk without one, which equals no query. */
    write(slot: number, vector: Float32Array | null): void {
      const scale = scaleOf(slot);
      scale[0] = vector ? largestOf(vector) / largest : 0;
      if (!vector) return;
      // As it is stored, in 32 bits.
      const unit = scale[0] || 1;
      const [high, low] = [highOf(slot), lowOf(slot)];
      for (let i = 0; i < dimensions; i++) {
        const value = Math.max(-largest, Math.min(largest, Math.round((vector[i] as number) / unit)));
        const top = (value + 128) >> 8;
        high[i] = top + offset;
        low[i] = value - 256 * top;
      }
      high.fill(offset, dimensions);
    },

    /** The vector of a slot. */
    read(slot: number): Float32Array {
      const [high, low, [scale = 0]] = [highOf(slot), lowOf(slot), scaleOf(slot)];
      return Float32Array.from(
        { length: dimensions },
        (_, i) => scale * (256 * ((high[i] as number) - offset) + (low[i] as number)),
      );
    },

    /** Whether two slots hold the same vector. */
    isSame(slot: number, other: number): boolean {
      if (scaleOf(slot)[0] !== scaleOf(other)[0]) return false;
      const [high, low] = [highOf(slot), lowOf(slot)];
      return highOf(other).every((value, i) => value === high[i]) && lowOf(other).every((value, i) => value === low[i]);
    },
  };
}
