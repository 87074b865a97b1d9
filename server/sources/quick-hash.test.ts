import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashWhole } from './quick-hash.ts';

test('a file that grows while it is hashed is hashed to the length that it had', async () => {
  let reads = 0;
  const growing = {
    read(buffer: Buffer, _offset: number, length: number | null) {
      reads += 1;
      buffer.fill(7);
      return Promise.resolve({ bytesRead: reads > 100 ? 0 : (length ?? buffer.length), buffer });
    },
  };
  const size = 2 ** 20 + 5;
  expect(await hashWhole(growing, size)).toBe(createHash('sha256').update(Buffer.alloc(size, 7)).digest('hex'));
});
