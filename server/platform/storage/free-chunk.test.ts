import { expect, test } from 'vitest';
import { freeChunk } from './free-chunk.ts';

test('a chunk that has its memory alone is freed; what shares it with others stays', () => {
  const alone = Buffer.from(new ArrayBuffer(100_000));
  freeChunk(alone);
  expect([alone.length, alone.buffer.byteLength]).toEqual([0, 0]);
  const both = Buffer.from(new ArrayBuffer(100));
  freeChunk(both.subarray(10));
  freeChunk(both.subarray(0, 10));
  freeChunk(Buffer.from('of the pool'));
  const shared = Buffer.from(new SharedArrayBuffer(10));
  freeChunk(shared);
  expect([both.length, both.buffer.byteLength, shared.length]).toEqual([100, 100, 10]);
});
