import { createSHA256 } from 'hash-wasm';

/** Computes the SHA-256 sum of each file it is sent, piece by piece; tells how far it is, and at last the sum. */
export type HashMessage = { hashed: number } | { sha256: string } | { failed: true };

const tell = (message: HashMessage) => postMessage(message);

addEventListener('message', ({ data: file }: MessageEvent<File>) => {
  hash(file).catch(() => tell({ failed: true }));
});

async function hash(file: File): Promise<void> {
  const hasher = await createSHA256();
  const reader = file.stream().getReader();
  let hashed = 0;
  let told = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    hasher.update(value);
    hashed += value.length;
    if (hashed - told < file.size / 100) continue;
    told = hashed;
    tell({ hashed });
  }
  tell({ sha256: hasher.digest() });
}
