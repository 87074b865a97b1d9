import type { Campaign } from './campaign.ts';
import type { Seed } from './hostile-seeds.ts';

/** Numbers at which sizes, counts and dates overflow or lose precision. */
const extremes = [0, 1, 2, 7, 8, 0x7f_ff, 0x80_00, 0xff_ff, 0x7f_ff_ff_ff, 0x80_00_00_00, 0xff_ff_ff_fe, 0xff_ff_ff_ff];

/** Boxes of MP4 whose numbers say how much there is, and where. */
const boxes = [
  'mvhd',
  'tkhd',
  'mdhd',
  'stts',
  'ctts',
  'stsz',
  'stco',
  'stsc',
  'stss',
  'elst',
  'stsd',
  'avcC',
  'dref',
  'moov',
  'trak',
  'mdat',
  'ftyp',
  'avih',
  'strh',
  'strf',
  'idx1',
  'movi',
  'IHDR',
  'acTL',
  'fcTL',
  'VP8X',
  'ANMF',
  'ispe',
  'iloc',
];

/** A file that was changed in one to three ways. @returns the bytes and what was done */
export function mutate(seed: Seed, others: readonly Seed[], campaign: Campaign): { bytes: Buffer; how: string } {
  const { pick, integer, chance } = campaign;
  let bytes: Buffer = Buffer.from(seed.bytes);
  const done: string[] = [];
  do {
    const [how, change] = pick(Object.entries(mutations));
    bytes = change(bytes, campaign, pick(others).bytes);
    done.push(how);
  } while (done.length < 3 && chance(0.4));
  return { bytes: bytes.length > 0 ? bytes : Buffer.from([integer(256)]), how: `${seed.name}: ${done.join(', ')}` };
}

type Mutation = (bytes: Buffer, campaign: Campaign, other: Buffer) => Buffer;

const mutations: Record<string, Mutation> = {
  'bits flipped': (bytes, { integer, chance }) => {
    // Parsers make most decisions in headers.
    const within = chance(0.5) ? Math.min(bytes.length, 1024) : bytes.length;
    for (let i = 0; i <= integer(40); i++) {
      const at = integer(within);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << integer(8));
    }
    return bytes;
  },
  'cut off': (bytes, { integer }) => bytes.subarray(0, 1 + integer(bytes.length)),
  'begun late': (bytes, { integer }) => bytes.subarray(integer(Math.min(bytes.length, 4096))),
  'range removed': (bytes, campaign) => {
    const [from, to] = range(bytes, campaign);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  'range doubled': (bytes, campaign) => {
    const [from, to] = range(bytes, campaign);
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  },
  'range zeroed': (bytes, campaign) => bytes.fill(0, ...range(bytes, campaign)),
  'ranges swapped': (bytes, campaign) => {
    const [from, to] = range(bytes, campaign);
    const [next, end] = range(bytes.subarray(to), campaign);
    return Buffer.concat([
      bytes.subarray(0, from),
      bytes.subarray(to + next, to + end),
      bytes.subarray(to, to + next),
      bytes.subarray(from, to),
      bytes.subarray(to + end),
    ]);
  },
  'number in the head': changeNumbers,
  'number in a box': (bytes, campaign) => {
    const { integer, pick, chance } = campaign;
    const at = bytes.indexOf(pick(boxes), 0, 'latin1');
    if (at < 0) return changeNumbers(bytes, campaign);
    writeNumber(bytes, at + 4 + 4 * integer(8), pick(extremes), chance(0.7));
    return bytes;
  },
  'length of a box': (bytes, { pick, chance, integer }) => {
    const at = bytes.indexOf(pick(boxes), integer(64), 'latin1');
    // Before the name in MP4 and PNG, after it in RIFF.
    writeNumber(bytes, at < 4 ? 0 : at + (chance(0.7) ? -4 : 4), pick(extremes), chance(0.7));
    return bytes;
  },
  'length in EBML': (bytes, { integer, pick }) => {
    // Lengths of eight bytes begin with 0x01.
    const places = [...bytes.entries()].filter(([, value]) => value === 0x01).map(([at]) => at);
    const at = places.length > 0 ? pick(places) : integer(bytes.length);
    for (let i = 1; i < 8 && at + i < bytes.length; i++) bytes[at + i] = pick([0, 0x7f, 0xff]);
    return bytes;
  },
  'part of another file': (bytes, campaign, other) => {
    const [from, to] = range(other, campaign);
    const at = campaign.integer(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), other.subarray(from, to), bytes.subarray(at)]);
  },
  'tail of another file': (bytes, { integer }, other) =>
    Buffer.concat([bytes.subarray(0, 16 + integer(256)), other.subarray(integer(Math.min(256, other.length)))]),
};

function changeNumbers(bytes: Buffer, { integer, pick, chance }: Campaign): Buffer {
  for (let i = 0; i <= integer(4); i++) {
    writeNumber(bytes, integer(Math.min(bytes.length, 2048)), pick(extremes), chance(0.5));
  }
  return bytes;
}

function range(bytes: Buffer, { integer, chance }: Campaign): [number, number] {
  const from = integer(bytes.length + 1);
  const length = integer(1 + Math.min(chance(0.5) ? 64 : bytes.length, bytes.length - from));
  return [from, from + length];
}

function writeNumber(bytes: Buffer, at: number, value: number, bigEndian: boolean): void {
  if (at < 0 || at + 4 > bytes.length) return;
  if (bigEndian) bytes.writeUInt32BE(value, at);
  else bytes.writeUInt32LE(value, at);
}
