/** The eleven basic colour terms of Berlin & Kay, "Basic Color Terms", 1969. */
export const colourNames = [
  'black',
  'white',
  'grey',
  'red',
  'orange',
  'brown',
  'yellow',
  'green',
  'blue',
  'purple',
  'pink',
] as const;
export type ColourName = (typeof colourNames)[number];

/** sRGB samples of what people call by each name: the shapes of the categories are those of van de Weijer et al. 2009. */
const samples: Record<ColourName, string> = {
  black: '000000 141414 1e1e22 0a0a14 1a1410',
  white: 'ffffff f4f4f4 ebebeb fff8f0 f0f4ff',
  grey: '404040 585858 707070 888888 a0a0a0 b8b8b8 cccccc 606870 8a8680',
  red: 'ff0000 d00000 a80c10 e02828 8b0000 c83232 700810',
  orange: 'ff8000 f07818 e06010 ffa040 ff6820 d8701c',
  brown: '5c3a1e 7b4a24 8b5a2b a0724a 3d2817 6e4630 b08860 50301c',
  yellow: 'ffff00 f4d820 ffe96a d8b400 fff080 e8c83c',
  green: '00ff00 008000 2e6b2e 6b8e23 8cc04c 1e4020 98d088 3c9a50 506a2c 28a828',
  blue: '0000ff 1040a8 3c7cd0 87ceeb 0a1e50 5ca4e8 00a8e0 204080 40c0d8 1a8aa0 a8d0f0',
  purple: '800080 6a3fa0 a060c0 400060 b89ce0 5a2a78 9030b0',
  pink: 'ff80c0 ffc0cb ff1493 e890a0 e060a0 f8b0d0 ff69b4',
};

/** How sharply the categories are separated: a colour this far (ΔE in CIELAB) beyond the nearest sample of another counts much less. */
const spread = 9;

/** The light of each value of a channel: a power for each pixel would be a third of the time that an image takes. */
const linear = Float64Array.from({ length: 256 }, (_, value) => {
  const v = value / 255;
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
});

const prototypes = colourNames.flatMap((name, index) =>
  samples[name].split(' ').map((hex) => {
    const [red, green, blue] = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as [
      number,
      number,
      number,
    ];
    return { index, lab: toLab(red, green, blue) };
  }),
);

/** sRGB (whole numbers, 0..255) in CIELAB under D65 (CIE 15:2004; IEC 61966-2-1): lightness 0..100, a* and b* about -100..100. */
export function toLab(red: number, green: number, blue: number): [number, number, number] {
  const r = linear[red] as number;
  const g = linear[green] as number;
  const b = linear[blue] as number;
  const x = curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = curve(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = curve((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function curve(t: number): number {
  return t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 / 116) * t + 16 / 116;
}

/** Steps of the look-up table in each channel. */
const steps = 32;
/** Shares of the eleven names for each colour that was looked up, at its offset. */
export const memberships = new Float32Array(steps ** 3 * colourNames.length);
const isComputed = new Uint8Array(steps ** 3);

/**
 * Looks a colour up, each channel 0..255: the shares of the eleven names are `memberships[offset + i]`. They are computed at first, since
 * all of them would take a tenth of a second, and most processes see few colours.
 */
export function membershipOffset(red: number, green: number, blue: number): number {
  const place = (red >> 3) * steps * steps + (green >> 3) * steps + (blue >> 3);
  const offset = place * colourNames.length;
  if (isComputed[place] === 0) {
    memberships.set(membershipsOf(toLab((red & ~7) + 4, (green & ~7) + 4, (blue & ~7) + 4)), offset);
    isComputed[place] = 1;
  }
  return offset;
}

/** Gaussian memberships by the distance to the nearest sample of each name, scaled to sum to one. */
function membershipsOf([l, a, b]: [number, number, number]): number[] {
  const nearest = Array.from({ length: colourNames.length }, () => Infinity);
  for (const { index, lab } of prototypes) {
    // Lightness distinguishes colours less than hue does.
    const distance = 0.5 * (l - lab[0]) ** 2 + (a - lab[1]) ** 2 + (b - lab[2]) ** 2;
    if (distance < (nearest[index] as number)) nearest[index] = distance;
  }
  const least = Math.min(...nearest);
  const weights = nearest.map((distance) => Math.exp(-(Math.sqrt(distance) - Math.sqrt(least)) / spread));
  const sharp = weights.map((weight) => weight ** 2);
  const total = sharp.reduce((sum, weight) => sum + weight, 0);
  return sharp.map((weight) => weight / total);
}
