import { readFileSync } from 'node:fs';
import { cells, columns, type Part, rows } from './frame-descriptor.ts';
import { type Fit, mirrorPart, whole } from './geometry.ts';

/**
 * Frames at half their resolution, by which crops are looked for: a crop that does not fit there fits nowhere. They lie in WebAssembly memory, where SIMD compares
 * them (`frame-kernel.wat`): tables, then what one call works on, then so many rough frames and so many lists of crops. The oldest make place for new ones.
 */

const [roughColumns, roughRows] = [columns / 2, rows / 2];
const roughBytes = 4 * roughColumns * roughRows;

/** A part of a side. */
type Range = { from: number; to: number };

/** Shares of a side that a crop leaves. Of smaller ones too few cells are left to be told from others. */
const scales = [0.9, 0.8, 0.7, 0.6, 0.5];
/** Where along a side a crop begins, as a share of what it leaves out. */
const places = [0, 0.5, 1];

/** All of a side, and what crops leave of it. */
const ranges: Range[] = [
  { from: 0, to: 1 },
  ...scales.flatMap((scale) => places.map((place) => ({ from: place * (1 - scale), to: place * (1 - scale) + scale }))),
];

/** Crops by their ranges: of both sides alike, and of one side alone. */
const crops = scales.flatMap((_scale, i) => {
  const cuts = places.map((_place, k) => 1 + i * places.length + k);
  return [
    ...cuts.flatMap((x) => cuts.map((y) => ({ x, y }))),
    ...cuts.map((x) => ({ x, y: 0 })),
    ...cuts.map((y) => ({ x: 0, y })),
  ];
});

const parts: Part[] = crops.map(({ x, y }) => ({
  left: ranges[x]!.from,
  right: ranges[x]!.to,
  top: ranges[y]!.from,
  bottom: ranges[y]!.to,
}));

/** Cells of a side that one rough cell is mixed of: it stands for two cells of a crop, each between two of the frame. */
const taps = 3;
const entryBytes = 4 * (1 + taps);

/** Where in memory what lies. */
const rowsAt = 0;
const columnsAt = rowsAt + ranges.length * roughRows * entryBytes;
const partsAt = columnsAt + ranges.length * roughColumns * entryBytes;
/** The whole frame comes before its crops. */
const partBytes = 8;
const bandsAt = partsAt + (1 + crops.length) * partBytes;
const cellsAt = bandsAt + ranges.length * columns * roughRows * 4;
const outAt = cellsAt + 4 * cells;
const roughAt = outAt + 32;

/** How many are kept, as many as the memory has room for. */
const [keptRough, keptCrops] = [8192, 2048];
const cropsBytes = crops.length * roughBytes;
const cropsAt = roughAt + keptRough * roughBytes;

type Kernel = {
  memory: WebAssembly.Memory;
  cut(
    cells: number,
    rows: number,
    ranges: number,
    bands: number,
    columns: number,
    parts: number,
    count: number,
    into: number,
  ): void;
  compare(a: number, b: number): number;
  fit(a: number, cropsA: number, b: number, cropsB: number, count: number, out: number): void;
};

/** Writes of what the rough cells of a part of a side are mixed. */
function writeMixing(view: DataView, at: number, { from, to }: Range, count: number): void {
  const fine = 2 * count;
  for (let cell = 0; cell < count; cell++) {
    const mixed = [0, 1].map((half) =>
      Math.min(fine - 1, Math.max(0, (from + ((to - from) * (2 * cell + half + 0.5)) / fine) * fine - 0.5)),
    );
    const first = Math.min(fine - taps, Math.floor(mixed[0]!));
    const weights = new Float32Array(taps);
    for (const place of mixed) {
      const before = Math.min(fine - 2, Math.floor(place));
      weights[before - first]! += (1 - (place - before)) / 2;
      weights[before - first + 1]! += (place - before) / 2;
    }
    const entry = at + cell * entryBytes;
    view.setInt32(entry, first, true);
    for (const [i, weight] of weights.entries()) view.setFloat32(entry + 4 * (1 + i), weight, true);
  }
}

function openKernel() {
  const module = new WebAssembly.Module(readFileSync(new URL('./frame-kernel.wasm', import.meta.url)));
  const kernel = new WebAssembly.Instance(module, {}).exports as Kernel;
  const { memory } = kernel;
  const view = new DataView(memory.buffer);
  for (const [i, range] of ranges.entries()) {
    writeMixing(view, rowsAt + i * roughRows * entryBytes, range, roughRows);
    writeMixing(view, columnsAt + i * roughColumns * entryBytes, range, roughColumns);
  }
  for (const [i, { x, y }] of [{ x: 0, y: 0 }, ...crops].entries()) {
    view.setInt32(partsAt + i * partBytes, x, true);
    view.setInt32(partsAt + i * partBytes + 4, y, true);
  }
  return {
    kernel,
    cells: new Float32Array(memory.buffer, cellsAt, cells),
    similarities: new Float32Array(memory.buffer, outAt, 4),
    places: new Int32Array(memory.buffer, outAt + 16, 4),
    rough: createPlaces(keptRough),
    crops: createPlaces(keptCrops),
  };
}

/** Places in memory, each of one frame, that are given away in turn. */
function createPlaces(count: number) {
  const owners: (ComparedFrame | undefined)[] = Array.from({ length: count });
  let next = 0;
  return {
    isOf: (place: number, frame: ComparedFrame) => owners[place] === frame,
    take(frame: ComparedFrame): number {
      const place = next;
      next = (next + 1) % count;
      owners[place] = frame;
      return place;
    },
  };
}

let opened: ReturnType<typeof openKernel> | undefined;

/** A frame as it is compared, and where it lies in the memory of the kernel; -1 where it was never. */
export type ComparedFrame = { cells: Float32Array; rough: number; crops: number };

/** Where the rough frame of a frame lies. */
function roughOf(frame: ComparedFrame): number {
  opened ??= openKernel();
  const { kernel, cells: cellsOf, rough } = opened;
  if (!rough.isOf(frame.rough, frame)) {
    frame.rough = rough.take(frame);
    cellsOf.set(frame.cells);
    kernel.cut(cellsAt, rowsAt, 1, bandsAt, columnsAt, partsAt, 1, roughAt + frame.rough * roughBytes);
  }
  return roughAt + frame.rough * roughBytes;
}

/** Where the crops of a frame lie. */
function cropsOf(frame: ComparedFrame): number {
  opened ??= openKernel();
  const { kernel, cells: cellsOf, crops: places } = opened;
  if (!places.isOf(frame.crops, frame)) {
    frame.crops = places.take(frame);
    cellsOf.set(frame.cells);
    const into = cropsAt + frame.crops * cropsBytes;
    kernel.cut(cellsAt, rowsAt, ranges.length, bandsAt, columnsAt, partsAt + partBytes, crops.length, into);
  }
  return cropsAt + frame.crops * cropsBytes;
}

/** How alike two frames are about, as they are or one mirrored: their correlation, −1..1. */
export function compareRoughly(a: ComparedFrame, b: ComparedFrame): number {
  opened ??= openKernel();
  roughOf(a);
  const second = roughOf(b);
  // The second may have taken the place of the first, and not the other way round then.
  return opened.kernel.compare(roughOf(a), second);
}

/** The crop of either frame by which two fit best about, the second as it is or mirrored. */
export function findCrop(a: ComparedFrame, b: ComparedFrame): Fit {
  opened ??= openKernel();
  for (const frame of [a, b]) {
    roughOf(frame);
    cropsOf(frame);
  }
  // The second may have taken the place of the first, and not the other way round then.
  const [roughA, cropsA, roughB, cropsB] = [roughOf(a), cropsOf(a), roughOf(b), cropsOf(b)];
  const { kernel, similarities, places: which } = opened;
  kernel.fit(roughA, cropsA, roughB, cropsB, crops.length, outAt);
  let best = 0;
  for (let kind = 1; kind < 4; kind++) if (similarities[kind]! > similarities[best]!) best = kind;
  const part = parts[which[best]!]!;
  const mirrored = best % 2 === 1;
  // A part of a mirrored frame is the mirrored part, mirrored.
  const geometry =
    best < 2 ? { a: part, b: whole, mirrored } : { a: whole, b: mirrored ? mirrorPart(part) : part, mirrored };
  return { geometry, similarity: similarities[best]! };
}
