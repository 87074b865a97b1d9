import path from 'node:path';
import type { RgbImage } from '@media-search/media/rgb-image';
import type { Tensor } from 'onnxruntime-node';
import sharp from 'sharp';
import { openSession } from './open-session.ts';

/** Sides of the squares that an image is scaled to, one for each of the two networks in the graph. */
const inputSides = { small: 224, large: 320 };

/**
 * Loads the image tower of a folder (`vision.onnx`). Scaling to squares distorts images as it did in training; everything else happens
 * inside the graph.
 * @param threads that it may use
 * @returns a function from an image to a vector of unit length
 */
export async function loadImageTower(
  folder: string,
  threads: number,
): Promise<(image: RgbImage) => Promise<Float32Array>> {
  const { run, Tensor } = await openSession(path.join(folder, 'vision.onnx'), threads);
  return async (image) => {
    const inputs: Record<string, Tensor> = {};
    for (const [name, side] of Object.entries(inputSides)) {
      inputs[name] = new Tensor('uint8', await scaleToSquare(image, side), [1, side, side, 3]);
    }
    return run(inputs);
  };
}

const scaleToSquare = ({ width, height, data }: RgbImage, side: number): Promise<Buffer> =>
  sharp(data, { raw: { width, height, channels: 3 } })
    .resize(side, side, { fit: 'fill' })
    .raw()
    .toBuffer();
