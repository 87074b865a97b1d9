import type { RgbImage } from '@media-search/media/rgb-image';
import { colourNames, membershipOffset, memberships, toLab } from './colour-names.ts';
import { colourFeature, edgeTypes, featureNames, featureIndex, type Region, regions } from './features.ts';

/** Images are described at this size, whatever their own. */
const width = 96;
const height = 72;

export type Luma = { width: number; height: number; values: Float32Array };

/** Raw values of the features of one image, before they are made comparable. */
export function describeImage(image: RgbImage): { features: Float32Array; luma: Luma } {
  const small = downscale(image);
  const features = new Float32Array(featureNames.length);
  const set = (name: string, value: number) => {
    features[featureIndex(name)] = value;
  };
  const luma = lumaOf(small);
  describeColours(small, set);
  describeEdges(luma, set);
  return { features, luma };
}

/** The light of an image at the working size: all that motion is measured by. */
export const readLuma = (image: RgbImage): Luma => lumaOf(downscale(image));

function lumaOf(small: Uint8Array): Luma {
  const values = new Float32Array(width * height);
  for (let i = 0; i < values.length; i++) {
    values[i] =
      0.299 * (small[3 * i] as number) + 0.587 * (small[3 * i + 1] as number) + 0.114 * (small[3 * i + 2] as number);
  }
  return { width, height, values };
}

/** Scales to the working size by averaging; the pixels of a smaller image are repeated. */
function downscale({ width: fromWidth, height: fromHeight, data }: RgbImage): Uint8Array {
  const small = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const top = Math.floor((y * fromHeight) / height);
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * fromHeight) / height));
    for (let x = 0; x < width; x++) {
      const left = Math.floor((x * fromWidth) / width);
      const right = Math.max(left + 1, Math.floor(((x + 1) * fromWidth) / width));
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let row = top; row < bottom; row++) {
        for (let at = (row * fromWidth + left) * 3; at < (row * fromWidth + right) * 3; at += 3) {
          red += data[at] as number;
          green += data[at + 1] as number;
          blue += data[at + 2] as number;
        }
      }
      const count = (bottom - top) * (right - left);
      const to = (y * width + x) * 3;
      small[to] = red / count;
      small[to + 1] = green / count;
      small[to + 2] = blue / count;
    }
  }
  return small;
}

/** The regions that a pixel belongs to, as bits in the order of `regions`. */
const regionBits = Uint8Array.from({ length: width * height }, (_, i) => {
  const x = (i % width) / width;
  const y = Math.floor(i / width) / height;
  const central = x >= 0.25 && x < 0.75 && y >= 0.25 && y < 0.75;
  const inside: Record<Region, boolean> = {
    whole: true,
    top: y < 0.4,
    bottom: y >= 0.6,
    centre: central,
    border: !central,
  };
  return regions.reduce((bits, region, bit) => bits | (inside[region] ? 1 << bit : 0), 0);
});

/** The sets of regions that there are pixels of, as bits, and the number of pixels of each. */
const regionSets = [...new Set(regionBits)];
const regionSizes = new Float64Array(1 << regions.length);
for (const bits of regionBits) regionSizes[bits] = (regionSizes[bits] as number) + 1;

function describeColours(small: Uint8Array, set: (name: string, value: number) => void): void {
  const count = width * height;
  const names = colourNames.length;
  const table = memberships;
  // Summed for each set of regions first: each pixel is then added once and not for each of its regions.
  const sums = new Float64Array((1 << regions.length) * names);
  const lights = new Float64Array(1 << regions.length);
  let squares = 0;
  let dark = 0;
  let bright = 0;
  let chroma = 0;
  let warmth = 0;
  const opponent = { rg: 0, rg2: 0, yb: 0, yb2: 0 };
  for (let i = 0; i < count; i++) {
    const [red, green, blue] = [small[3 * i] as number, small[3 * i + 1] as number, small[3 * i + 2] as number];
    const [l, a, b] = toLab(red, green, blue);
    squares += l * l;
    dark += l < 25 ? 1 : 0;
    bright += l > 80 ? 1 : 0;
    chroma += Math.sqrt(a * a + b * b);
    warmth += a + b;
    const rg = red - green;
    const yb = (red + green) / 2 - blue;
    opponent.rg += rg;
    opponent.rg2 += rg * rg;
    opponent.yb += yb;
    opponent.yb2 += yb * yb;
    const offset = membershipOffset(red, green, blue);
    const bits = regionBits[i] as number;
    lights[bits] = (lights[bits] as number) + l;
    for (let colour = 0; colour < names; colour++) {
      sums[bits * names + colour] = (sums[bits * names + colour] as number) + (table[offset + colour] as number);
    }
  }
  for (const [bit, region] of regions.entries()) {
    const total = (values: Float64Array, stride = 1, place = 0) =>
      regionSets.reduce((sum, bits) => sum + (bits & (1 << bit) ? (values[bits * stride + place] as number) : 0), 0);
    const size = total(regionSizes);
    for (const [c, colour] of colourNames.entries()) {
      // The square root (Hellinger's transform) keeps a small patch of a colour from vanishing beside a large one.
      set(colourFeature(colour, region), Math.sqrt(total(sums, names, c) / size));
    }
    set(region === 'whole' ? 'brightness' : `brightness.${region}`, total(lights) / size);
  }
  const mean = lights.reduce((sum, light) => sum + light, 0) / count;
  set('contrast', Math.sqrt(Math.max(0, squares / count - mean * mean)));
  set('dark share', dark / count);
  set('bright share', bright / count);
  set('colourfulness', colourfulness(opponent, count));
  // Reaches zero at the chroma of a clearly coloured photograph.
  set('greyness', Math.exp(-chroma / count / 6));
  set('warmth', warmth / count);
}

/** M of Hasler & Süsstrunk, "Measuring colorfulness in natural images", SPIE 2003. */
function colourfulness({ rg, rg2, yb, yb2 }: Record<'rg' | 'rg2' | 'yb' | 'yb2', number>, count: number): number {
  const variance = (sum: number, squares: number) => Math.max(0, squares / count - (sum / count) ** 2);
  return Math.sqrt(variance(rg, rg2) + variance(yb, yb2)) + 0.3 * Math.hypot(rg / count, yb / count);
}

/**
 * Edge histogram after MPEG-7 (five filters on 2×2 blocks), sharpness as variance of the Laplacian (Pech-Pacheco et al. 2000)
 * relative to the contrast, and busyness as the share of blocks with an edge.
 */
function describeEdges({ values }: Luma, set: (name: string, value: number) => void): void {
  const counts = { whole: new Float64Array(5), top: new Float64Array(5), bottom: new Float64Array(5) };
  const strengths = [0, 0, 0, 0, 0];
  let edges = 0;
  let borderEdges = 0;
  let borderBlocks = 0;
  for (let y = 0; y < height - 1; y += 2) {
    for (let x = 0; x < width - 1; x += 2) {
      const i = y * width + x;
      const [a, b] = [values[i] as number, values[i + 1] as number];
      const [c, d] = [values[i + width] as number, values[i + width + 1] as number];
      strengths[0] = Math.abs(a - b + c - d);
      strengths[1] = Math.abs(a + b - c - d);
      strengths[2] = Math.SQRT2 * Math.abs(b - c);
      strengths[3] = Math.SQRT2 * Math.abs(a - d);
      strengths[4] = 2 * Math.abs(a - b - c + d);
      const strongest = Math.max(strengths[0], strengths[1], strengths[2], strengths[3], strengths[4]);
      const border = ((regionBits[i] as number) & 16) !== 0;
      borderBlocks += border ? 1 : 0;
      if (strongest < edgeThreshold) continue;
      edges += 1;
      borderEdges += border ? 1 : 0;
      const type = strengths.indexOf(strongest);
      counts.whole[type] = (counts.whole[type] as number) + 1;
      const half = y < height / 2 ? counts.top : counts.bottom;
      half[type] = (half[type] as number) + 1;
    }
  }
  const blocks = (width / 2) * (height / 2);
  for (const [t, type] of edgeTypes.entries()) {
    set(`edge.${type}`, Math.sqrt((counts.whole[t] as number) / blocks));
    set(`edge.${type}.top`, Math.sqrt((counts.top[t] as number) / (blocks / 2)));
    set(`edge.${type}.bottom`, Math.sqrt((counts.bottom[t] as number) / (blocks / 2)));
  }
  set('busyness', Math.sqrt(edges / blocks));
  set('busyness.border', Math.sqrt(borderEdges / borderBlocks));
  set('sharpness', relativeSharpness(values));
}

/** Strength from which a block counts as an edge; MPEG-7 proposes 11 for blocks averaged over more pixels. */
const edgeThreshold = 14;

function relativeSharpness(values: Float32Array): number {
  let laplacians = 0;
  let sum = 0;
  let squares = 0;
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const i = y * width + x;
      const value = values[i] as number;
      const around =
        (values[i - 1] as number) +
        (values[i + 1] as number) +
        (values[i - width] as number) +
        (values[i + width] as number);
      laplacians += (4 * value - around) ** 2;
      sum += value;
      squares += value * value;
    }
  }
  const count = (width - 2) * (height - 2);
  const variance = Math.max(0, squares / count - (sum / count) ** 2);
  return Math.log((laplacians / count + 1) / (variance + 20));
}
