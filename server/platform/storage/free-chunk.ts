/**
 * Frees the memory of a chunk of a body, of which nothing is needed any more: it is empty from then on. Left to V8, the whole heap is collected after
 * each 10 MiB that arrive, which takes more processor time than to hash and store them (`lab/bench/uploads.ts`). One that shares its memory with others, as the
 * first of a request does with its head, is left alone.
 */
export function freeChunk({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
