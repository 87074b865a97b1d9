import { expect, test } from 'vitest';
import { createRandom } from '../../../packages/search-engine/testing/random.ts';
import { fromHalfvec, toHalfvec } from './halfvec.ts';

/** The binary form, as `halfvec_send` of pgvector writes it. */
function send(halves: Uint16Array): Uint8Array {
  const bytes = new Uint8Array(4 + 2 * halves.length);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, halves.length);
  for (const [i, half] of halves.entries()) view.setUint16(4 + 2 * i, half);
  return bytes;
}

/** What the server stores of a text form: each number as float32, then rounded to float16. */
const receive = (text: string): Uint16Array =>
  new Uint16Array(new Float16Array(Float32Array.from(JSON.parse(text) as number[])).buffer);

/** Minus zero comes back as zero. */
const isSame = (a: Float32Array, b: Float32Array): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

test('every finite float16 is the same after it was stored and read', () => {
  const all = Uint16Array.from({ length: 65_536 }, (_, bits) => bits);
  const values = new Float32Array(new Float16Array(all.buffer)).filter((value) => Number.isFinite(value));
  expect(values).toHaveLength(2 * 31 * 1024);
  for (let first = 0; first < values.length; first += 1024) {
    const some = values.subarray(first, first + 1024);
    expect(isSame(fromHalfvec(send(receive(toHalfvec(some)))), some)).toBe(true);
  }
});

test('what is stored is the nearest float16 of each component', () => {
  const random = createRandom(5);
  const vector = Float32Array.from({ length: 4096 }, () => (random.next() - 0.5) * 2 ** (40 * random.next() - 25));
  const nearest = new Float32Array(new Float16Array(vector));
  expect(isSame(fromHalfvec(send(receive(toHalfvec(vector)))), nearest)).toBe(true);
});

test('subnormal numbers are kept, and what is below the least of them is zero', () => {
  const [least, below] = [2 ** -24, 2 ** -26];
  expect([...fromHalfvec(send(receive(toHalfvec(Float32Array.of(least, 3 * least, below)))))]).toEqual([
    least,
    3 * least,
    0,
  ]);
});

test.each([Number.NaN, Infinity, -Infinity, 65_520, -70_000])('a vector with %d is refused', (value) => {
  expect(() => toHalfvec(Float32Array.of(0, value))).toThrow(RangeError);
});

test('the largest float16 is stored', () => {
  expect([...fromHalfvec(send(receive(toHalfvec(Float32Array.of(65_519, -65_504)))))]).toEqual([65_504, -65_504]);
});

test('bytes that end too early are refused', () => {
  expect(() => fromHalfvec(send(Uint16Array.of(1, 2)).subarray(0, 6))).toThrow(RangeError);
});
