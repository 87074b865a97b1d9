import type { Transport } from '../transport.ts';

/** Of a part that breaks off the service keeps nothing, because it cannot compare its checksum: a break may cost so many seconds of sending. */
const secondsPerPart = 4;
const smallest = 2 ** 20;
/** A part is read into memory. */
const largest = 16 * 2 ** 20;

/** Bytes, by the connection: each file goes on with what was learned from the one before. */
const sizes = new WeakMap<Transport, number>();

/** Bytes of the next part. The first one finds out how fast the connection is. */
export const partSizeOf = (transport: Transport): number => sizes.get(transport) ?? smallest;

/** Takes how long a part took until it was acknowledged. */
export function notePart(transport: Transport, bytes: number, milliseconds: number): void {
  const size = Math.round((1000 * secondsPerPart * bytes) / milliseconds);
  sizes.set(transport, Math.min(largest, Math.max(smallest, size)));
}

/** Takes that a part did not arrive. */
export const noteLostPart = (transport: Transport): void => void sizes.delete(transport);
