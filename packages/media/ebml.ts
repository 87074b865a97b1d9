/** Identifier of Matroska's outermost element (RFC 9559). */
export const segmentId = 0x18538067;

/** The elements in a body, up to one that is cut off. */
export function readElements(body: Buffer): { id: number; content: Buffer }[] {
  const elements: { id: number; content: Buffer }[] = [];
  for (let at = 0; at < body.length;) {
    const element = readElementHead(body, at);
    if (!element) break;
    const start = at + element.length;
    at = start + element.size;
    // Cut off.
    if (at > body.length) break;
    elements.push({ id: element.id, content: body.subarray(start, at) });
  }
  return elements;
}

/** Identifier and size of an element, and how long its head is (EBML, RFC 8794); null where there is none. */
export function readElementHead(bytes: Buffer, at: number): { id: number; size: number; length: number } | null {
  const idLength = vintLength(bytes[at]);
  const sizeLength = vintLength(bytes[at + idLength]);
  if (idLength > 4 || sizeLength > 8 || at + idLength + sizeLength > bytes.length) return null;
  const id = bytes.readUIntBE(at, idLength);
  let size = (bytes[at + idLength] as number) & (0xff >> sizeLength);
  for (let i = 1; i < sizeLength; i++) size = size * 256 + (bytes[at + idLength + i] as number);
  return { id, size, length: idLength + sizeLength };
}

/** A number begins with as many zeros as bytes follow. */
const vintLength = (first: number | undefined): number => (first ? Math.clz32(first) - 23 : 9);
