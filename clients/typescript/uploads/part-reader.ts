import type { FileSource } from 'tus-js-client';

/** Reads a file part by part; a part is in memory as long as it is sent. */
export class PartReader implements FileSource {
  readonly size: number;
  /** Of the part that was read last, as `Upload-Checksum` wants it; null where the page may not compute one. */
  checksum: string | null = null;
  readonly #file: Blob;

  constructor(file: Blob) {
    this.size = file.size;
    this.#file = file;
  }

  /** @throws DOMException when the file was changed or removed */
  async slice(start: number, end: number) {
    const bytes = await this.#file.slice(start, end).arrayBuffer();
    this.checksum = await toChecksum(bytes);
    // The library wants a size, which bytes do not have.
    return { value: Object.assign(new Uint8Array(bytes), { size: bytes.byteLength }), done: end >= this.size };
  }

  close(): void {}
}

/** Browsers have `crypto.subtle` on pages by https and of the same machine only. Elsewhere parts go without a checksum. */
async function toChecksum(bytes: ArrayBuffer): Promise<string | null> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (!subtle) return null;
  const digest = new Uint8Array(await subtle.digest('SHA-256', bytes));
  return `sha256 ${btoa(String.fromCharCode(...digest))}`;
}
