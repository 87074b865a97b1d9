import { findPictures, hasManyShades, looksPhotographic } from '@media-search/media/framing/find-pictures';
import type { RgbImage } from '@media-search/media/rgb-image';
import type { Sample } from '../sample-video.ts';
import { createBorderFollower } from './border.ts';
import { type Fingerprint, framesPerSecond } from './fingerprint.ts';
import { correlate, describeFrame, type FrameDescriptor, type Part } from './frame-descriptor.ts';

/** Images of a second in which its border is looked for, at most. */
const borderImages = 3;

/** Frames of a second that are less alike than this show that something moves. */
const still = 0.98;

type Described = { frame: FrameDescriptor | null; isEven: boolean };

/** A frame inside of a border, and whether it is mostly of one shade. Test cards and drawings have few shades: whoever uses the same has not used the same footage. */
function describeInside(image: RgbImage, inside: Part): Described {
  const { width, height } = image;
  const pixels = {
    left: Math.round(inside.left * width),
    top: Math.round(inside.top * height),
    right: Math.round(inside.right * width),
    bottom: Math.round(inside.bottom * height),
  };
  const frame = hasManyShades([image], pixels) ? describeFrame(image, inside) : null;
  return { frame, isEven: !looksPhotographic([image], pixels) };
}

/** Without what is mostly of one shade and does not move, which is a title card; a road on which a car drives is none. A title that fades in does not count as moving: only its contrast changes. */
function withoutCards(described: Described[]): (FrameDescriptor | null)[] {
  const frames = described.map(({ frame }) => frame);
  const moves = frames.some((frame, i) => {
    const next = frames[i + 1];
    return frame && next && correlate(frame.cells, next.cells) < still;
  });
  return described.map(({ frame, isEven }) => (isEven && !moves ? null : frame));
}

/** The fingerprint of a photograph, given small: what is inside of its border. */
export function fingerprintPhoto(image: RgbImage): Fingerprint {
  return withoutCards([describeInside(image, findPictures([image], 0).inside)]);
}

/** Samples of a second: so long a border is taken to stand still. */
const batchSize = 4;

/** Collects the fingerprint of a video from all of its samples, which come in order of time. Holds those of a second. */
export function createFingerprinter() {
  const frames: Fingerprint = [];
  let batch: Sample[] = [];
  const border = createBorderFollower();

  function describe(): void {
    if (batch.length === 0) return;
    const inside = border.findInside(batch.slice(0, borderImages).map(({ image }) => image));
    const described = withoutCards(batch.map(({ image }) => describeInside(image, inside)));
    for (const [i, { time }] of batch.entries()) {
      // What lies in the middle between two frames belongs to the earlier one.
      const at = Math.ceil(time * framesPerSecond - 0.5);
      // What is shown for longer fills the frames between.
      while (frames.length < at) frames.push(frames.at(-1) ?? null);
      if (frames.length === at) frames.push(described[i] ?? null);
    }
    batch = [];
  }

  return {
    add(sample: Sample): void {
      batch.push(sample);
      if (batch.length === batchSize) describe();
    },

    finish(): Fingerprint {
      describe();
      return frames;
    },
  };
}
