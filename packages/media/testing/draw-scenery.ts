import type { Paint } from '../samples/draw-media.ts';

/** Blobs of light and shade that drift: each number gives other ones, with as many shades as a photograph has. */
export function scenery(number: number): Paint {
  const wave = (i: number) => {
    const turn = Math.sin(number * 12.9898 + i * 78.233) * 43758.5453;
    return turn - Math.floor(turn);
  };
  const waves = Array.from({ length: 6 }, (_, i) => ({
    across: 1 + 5 * wave(4 * i),
    down: 1 + 5 * wave(4 * i + 1),
    phase: 6.28 * wave(4 * i + 2),
    drift: wave(4 * i + 3) - 0.5,
  }));
  return (x, y, time) => {
    const sum = waves.reduce(
      (total, { across, down, phase, drift }) => total + Math.sin(across * x * 3 + down * y * 3 + phase + drift * time),
      0,
    );
    const light = Math.max(0, Math.min(255, 128 + 42 * sum));
    return [light, Math.min(255, light * (0.6 + 0.5 * wave(99))), Math.min(255, light * (0.6 + 0.5 * wave(98)))];
  };
}
