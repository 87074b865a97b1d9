/**
 * Postings of texts as rows of PostgreSQL: a row for each term and each block of 1,024 chunk numbers. A row for each posting would take ten times
 * the space and time.
 */

/** Chunk numbers in a block. */
export const blockSize = 1024;

/** The block of a chunk. */
export const blockOf = (number: number): number => Math.floor(number / blockSize);

/** The place of a chunk in its block. */
export const placeOf = (number: number): number => number % blockSize;

/** A term in a chunk: tokens of all its texts (65,535 at most), how often it occurs in units of weight (255 at most), and the sources that hold it, as bits. */
export type Posting = { number: number; length: number; weight: number; sources: number };

/** The postings of a term in a block, in columns, by ascending place in the block. */
export type PostingBlock = { places: Uint16Array; lengths: Uint16Array; weights: Uint8Array; sources: Uint8Array };

/** Bytes of a posting. */
const postingBytes = 6;

/** Reads a block. */
export const decodeBlock = (data: Uint8Array): PostingBlock =>
  decodeBlocks(data, [data.length / postingBytes])[0] as PostingBlock;

/** Reads blocks that follow each other, of which there are so many postings in each; those that are not there are left out. */
export function decodeBlocks(data: Uint8Array, held: ArrayLike<number>): PostingBlock[] {
  // A copy, because what comes from the network begins anywhere.
  const { buffer } = Uint8Array.from(data);
  const blocks: PostingBlock[] = [];
  for (let offset = 0; offset < data.length; offset += postingBytes * (held[blocks.length - 1] as number))
    blocks.push(columnsOf(buffer, offset, held[blocks.length] as number));
  return blocks;
}

/** All places, then all lengths (16 bits each, little-endian), all weights and all sources (a byte each). */
const columnsOf = (buffer: ArrayBuffer, offset: number, size: number): PostingBlock => ({
  places: new Uint16Array(buffer, offset, size),
  lengths: new Uint16Array(buffer, offset + 2 * size, size),
  weights: new Uint8Array(buffer, offset + 4 * size, size),
  sources: new Uint8Array(buffer, offset + 5 * size, size),
});

function encodeBlock(postings: Posting[]): Buffer {
  const bytes = new Uint8Array(postingBytes * postings.length);
  const { places, lengths, weights, sources } = columnsOf(bytes.buffer, 0, postings.length);
  for (const [i, { number, length, weight, sources: held }] of postings.entries()) {
    places[i] = placeOf(number);
    lengths[i] = length;
    weights[i] = weight;
    sources[i] = held;
  }
  return Buffer.from(bytes.buffer);
}

/**
 * A block without the postings of some chunks and with others.
 * @param data null: there is none yet
 * @returns the bytes and how many postings they hold; null where none is left
 */
export function changeBlock(
  block: number,
  data: Uint8Array | null,
  removed: ReadonlySet<number>,
  added: Posting[],
): { data: Buffer; held: number } | null {
  const postings = data ? listPostings(block, data).filter(({ number }) => !removed.has(number)) : [];
  postings.push(...added);
  if (postings.length === 0) return null;
  postings.sort((a, b) => a.number - b.number);
  return { data: encodeBlock(postings), held: postings.length };
}

function listPostings(block: number, data: Uint8Array): Posting[] {
  const { places, lengths, weights, sources } = decodeBlock(data);
  return Array.from(places, (place, i) => ({
    number: block * blockSize + place,
    length: lengths[i] as number,
    weight: weights[i] as number,
    sources: sources[i] as number,
  }));
}
