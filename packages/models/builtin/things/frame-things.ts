import { type ColourName, colourNames } from '../../descriptors/colour-names.ts';

/** An object that the detector found. */
export type SeenObject = {
  /** One of COCO's kinds, 0..89. */
  kind: number;
  /** 0..1 */
  score: number;
  /** Share of the image, 0..1. */
  box: { top: number; left: number; bottom: number; right: number };
  /** The colours of a good part of its inside. */
  colours: ColourName[];
};

/** What the two networks of the image tower recognised in a frame. */
export type FrameThings = {
  /** The surest first, each object once. */
  objects: SeenObject[];
  /** The likeliest of the 1,000 classes of ImageNet. */
  classes: { number: number; probability: number }[];
};

/** Objects and classes that are kept of a frame, so that it takes at most 178 bytes. */
export const mostObjects = 20;
export const mostClasses = 5;

const objectBytes = 8;
const classBytes = 3;

/** Frames as bytes: of each its numbers of objects and classes, then these; shares and probabilities in steps of 1/255. */
export function encodeFrames(frames: FrameThings[]): Uint8Array {
  const bytes: number[] = [];
  const share = (value: number) => Math.round(255 * Math.min(1, Math.max(0, value)));
  for (const { objects, classes } of frames) {
    bytes.push(objects.length, classes.length);
    for (const { kind, score, box, colours } of objects) {
      const mask = colours.reduce((bits, colour) => bits | (1 << colourNames.indexOf(colour)), 0);
      bytes.push(kind, share(score), share(box.top), share(box.left), share(box.bottom), share(box.right));
      bytes.push(mask & 255, mask >> 8);
    }
    for (const { number, probability } of classes) bytes.push(number & 255, number >> 8, share(probability));
  }
  return Uint8Array.from(bytes);
}

/** The frames that `encodeFrames` wrote; none where the bytes are cut off. */
export function decodeFrames(bytes: Uint8Array): FrameThings[] {
  const frames: FrameThings[] = [];
  for (let at = 0; at < bytes.length;) {
    const [objectCount, classCount] = [bytes[at] as number, bytes[at + 1] ?? 0];
    const classesAt = at + 2 + objectCount * objectBytes;
    const end = classesAt + classCount * classBytes;
    if (end > bytes.length) return [];
    const read = (place: number) => bytes[place] as number;
    frames.push({
      objects: Array.from({ length: objectCount }, (_, i) => readObject(bytes, at + 2 + i * objectBytes)),
      classes: Array.from({ length: classCount }, (_, i) => {
        const place = classesAt + i * classBytes;
        return { number: read(place) + 256 * read(place + 1), probability: read(place + 2) / 255 };
      }),
    });
    at = end;
  }
  return frames;
}

function readObject(bytes: Uint8Array, at: number): SeenObject {
  const share = (place: number) => (bytes[at + place] as number) / 255;
  const mask = (bytes[at + 6] as number) + 256 * (bytes[at + 7] as number);
  return {
    kind: bytes[at] as number,
    score: share(1),
    box: { top: share(2), left: share(3), bottom: share(4), right: share(5) },
    colours: colourNames.filter((_, i) => (mask >> i) & 1),
  };
}
