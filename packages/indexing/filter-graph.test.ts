import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { probeVideo } from '../media/probe-video.ts';
import type { RgbImage } from '../media/rgb-image.ts';
import { makeVideo } from '../media/samples/draw-media.ts';
import { readMoments } from '../media/seek-moments.ts';
import { areNear, expectedCorners, orientations, quarters, setDisplayMatrix } from '../media/testing/orientations.ts';
import { temporaryFolder } from '../media/testing/temporary-folder.ts';
import { indexFile } from './testing/index-file.ts';

const { signal } = new AbortController();

/** The colours near the four corners. */
function cornersOf({ width, height, data }: RgbImage): number[][] {
  return [0.2, 0.8].flatMap((y) =>
    [0.2, 0.8].map((x) => {
      const at = 3 * (Math.floor(y * height) * width + Math.floor(x * width));
      return [...data.subarray(at, at + 3)];
    }),
  );
}

async function readPoster(file: string): Promise<RgbImage> {
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

describe('video is set upright once', () => {
  test.each(
    orientations.flatMap(([name, matrix]) =>
      (['played as it is', 'copied', 'encoded'] as const).map((way) => ({ name, matrix, way })),
    ),
  )('$name, $way', async ({ matrix, way }) => {
    await using folder = await temporaryFolder();
    const file = folder.file(way === 'copied' ? 'a.mov' : 'a.mp4');
    await makeVideo(file, {
      scenes: [{ paint: quarters, seconds: 0.4 }],
      width: 160,
      height: 96,
      codec: way === 'encoded' ? 'hevc' : 'h264',
    });
    await setDisplayMatrix(file, matrix);
    const { width, height, poster, rendition } = await indexFile(file, folder.path);
    const size = matrix[0] === 0 ? { width: 96, height: 160 } : { width: 160, height: 96 };
    expect({ width, height }).toEqual(size);
    const expected = expectedCorners(matrix);
    const image = await readPoster(folder.file(poster));
    expect(image).toMatchObject(size);
    expect(areNear(cornersOf(image), expected)).toBe(true);
    // Browsers do not agree on mirrored ones, so those are encoded.
    const mirrored = matrix[0] * matrix[3] - matrix[1] * matrix[2] < 0;
    expect(rendition === null).toBe(way === 'played as it is' && !mirrored);
    if (!rendition) return;
    await using probed = await probeVideo(folder.file(rendition.file), signal);
    const turned = way === 'copied' && !mirrored && matrix[0] !== 1;
    expect(probed.orientation.rotation !== 0).toBe(turned);
    expect(probed.orientation.mirrored).toBe(false);
    const [moment] = await readMoments(folder.file(rendition.file), [0.2], signal);
    expect(moment?.image).toMatchObject(size);
    expect(areNear(cornersOf(moment!.image), expected)).toBe(true);
  });
});
