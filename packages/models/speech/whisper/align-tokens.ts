import { positionsPerSecond } from './load-whisper.ts';

/** Width of the filter that smooths attention over time, positions; of the authors. */
const filterWidth = 7;

/**
 * Finds when each token is said from where the decoder looked when it chose it: attention, normalised over the tokens and smoothed, is
 * aligned by dynamic time warping, as in the authors' `timing.py`.
 * @param attention of each head, when each token and the end was chosen
 * @param seconds how long the sound is
 * @returns when each token starts, and when the last one ends, seconds from the start of the window; empty without attention
 */
export function alignTokens(attention: readonly Float32Array[][], seconds: number): number[] {
  const columns = Math.max(1, Math.min(attention[0]?.[0]?.length ?? 0, Math.round(seconds * positionsPerSecond)));
  const heads = attention[0]?.length ?? 0;
  if (heads === 0 || attention.length < 2) return [];
  const mean = attention.map(() => new Float32Array(columns));
  for (let head = 0; head < heads; head++) {
    const rows = attention.map((each) => smooth((each[head] ?? new Float32Array(columns)).subarray(0, columns)));
    standardize(rows);
    for (const [i, row] of rows.entries())
      row.forEach((value, at) => ((mean[i] as Float32Array)[at]! += value / heads));
  }
  return warp(mean).map((position) => position / positionsPerSecond);
}

/** Median over a window of positions. */
function smooth(row: Float32Array): Float32Array {
  const half = filterWidth >> 1;
  const window = new Float32Array(filterWidth);
  return row.map((_, i) => {
    for (let k = 0; k < filterWidth; k++) {
      // Mirrored at the ends.
      const at = Math.abs(i + k - half);
      window[k] = row[at < row.length ? at : Math.max(0, 2 * row.length - 2 - at)] ?? 0;
    }
    return window.toSorted()[half] ?? 0;
  });
}

/** Mean 0 and variance 1 at each position, over the tokens. In place. */
function standardize(rows: Float32Array[]): void {
  for (let at = 0; at < (rows[0]?.length ?? 0); at++) {
    let sum = 0;
    let squares = 0;
    for (const row of rows) {
      const value = row[at] ?? 0;
      sum += value;
      squares += value * value;
    }
    const mean = sum / rows.length;
    const deviation = Math.sqrt(Math.max(0, squares / rows.length - mean * mean)) || 1;
    for (const row of rows) row[at] = ((row[at] ?? 0) - mean) / deviation;
  }
}

/**
 * The path of the greatest sum through all rows and columns, that goes down, right, or both at each step.
 * @returns the column where the path enters each row
 */
function warp(rows: Float32Array[]): number[] {
  const columns = rows[0]?.length ?? 0;
  // 0: from above and left, 1: from above, 2: from the left.
  const moves = rows.map(() => new Uint8Array(columns));
  let above = new Float32Array(columns + 1).fill(-Infinity);
  above[0] = 0;
  for (const [i, row] of rows.entries()) {
    const best = new Float32Array(columns + 1).fill(-Infinity);
    for (let at = 0; at < columns; at++) {
      const options = [above[at] ?? 0, above[at + 1] ?? 0, best[at] ?? 0] as const;
      const move = options[0] >= options[1] && options[0] >= options[2] ? 0 : options[1] >= options[2] ? 1 : 2;
      (moves[i] as Uint8Array)[at] = move;
      best[at + 1] = options[move] + (row[at] ?? 0);
    }
    above = best;
  }
  const entered = rows.map(() => 0);
  for (let i = rows.length - 1, at = columns - 1; i >= 0 && at >= 0;) {
    entered[i] = at;
    const move = moves[i]?.[at] ?? 0;
    if (move !== 2) i -= 1;
    if (move !== 1) at -= 1;
  }
  return entered;
}
