import { FilterAPI } from 'node-av/api';
import { AV_FRAME_FLAG_INTERLACED } from 'node-av/constants';
import type { Frame } from 'node-av/lib';

export type Deinterlacer = Disposable & {
  /** Takes over a frame of the input; null ends the input. Returns whole frames, some of them a call later. */
  push(frame: Frame | null): Promise<Frame[]>;
};

/** Deinterlaces the frames that are interlaced, from the first such frame on. The others stay as they are. */
export function createDeinterlacer(): Deinterlacer {
  let filter: FilterAPI | undefined;
  return {
    async push(frame) {
      if (frame && isInterlaced(frame)) filter ??= FilterAPI.create('bwdif=mode=send_frame:deint=interlaced');
      if (!filter) return frame ? [frame] : [];
      try {
        return await filter.processAll(frame);
      } finally {
        frame?.[Symbol.dispose]();
      }
    },
    [Symbol.dispose]: () => filter?.[Symbol.dispose](),
  };
}

/** The filter refuses frames of fewer lines or columns. */
export const isInterlaced = (frame: Frame): boolean =>
  frame.hasFlags(AV_FRAME_FLAG_INTERLACED) && frame.width >= 3 && frame.height >= 4;
