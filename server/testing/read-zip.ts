import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

/** The entries of an archive, in their order. Fails where it is not as the format wants it. */
export async function readZip(archive: Buffer): Promise<{ name: string; method: number; data: Buffer }[]> {
  const zip = await fromBufferPromise(archive, { strictFileNames: true, lazyEntries: true });
  const entries = [];
  for await (const entry of zip.eachEntry()) {
    const data = await buffer(await zip.openReadStreamPromise(entry));
    entries.push({ name: entry.fileName, method: entry.compressionMethod, data });
  }
  return entries;
}
