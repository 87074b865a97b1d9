/**
 * Runs the two image networks over images, and writes their features: `npm run node -- lab/training/extract-features.ts GRAPH LIST OUT [--crop SEED]`.
 * LIST names an image per line; OUT gets float32 rows of features and logits in the same order. With `--crop` each image is a random part
 * of itself (60 to 95 % of each side), mirrored half of the time, which training uses as other views of the same captions.
 */
import { createWriteStream, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as ort from 'onnxruntime-node';
import sharp, { type Sharp } from 'sharp';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { crop: { type: 'string' } } });
const [graph, list, out] = positionals as [string, string, string];
const images = readFileSync(list, 'utf8').trim().split('\n');
sharp.concurrency(1);
const session = await ort.InferenceSession.create(graph, { intraOpNumThreads: 1, interOpNumThreads: 1 });

/** A number in 0..1 that depends only on its arguments (a hash by multiplication and xor, after Vigna's splitmix64). */
function random(...seeds: number[]): number {
  let hash = 0x9e3779b97f4a7c15n;
  for (const seed of seeds) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(seed)) * 0xbf58476d1ce4e5b9n);
    hash = BigInt.asUintN(64, (hash ^ (hash >> 27n)) * 0x94d049bb133111ebn);
    hash ^= hash >> 31n;
  }
  return Number(hash >> 11n) / 2 ** 53;
}

/** A random part of an image, or the whole of it, as raw pixels. */
async function readImage(file: string, index: number): Promise<Sharp> {
  const image = sharp(file).rotate().removeAlpha().toColourspace('srgb');
  if (values.crop === undefined) return image;
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  const draw = (which: number) => random(Number(values.crop), index, which);
  const width = Math.round(info.width * (0.6 + 0.35 * draw(1)));
  const height = Math.round(info.height * (0.6 + 0.35 * draw(2)));
  const left = Math.floor((info.width - width) * draw(3));
  const top = Math.floor((info.height - height) * draw(4));
  const part = sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } });
  part.extract({ left, top, width, height });
  const pixels = await part.raw().toBuffer();
  return sharp(pixels, { raw: { width, height, channels: 3 } }).flop(draw(5) < 0.5);
}

async function squash(image: Sharp, side: number): Promise<ort.Tensor> {
  const pixels = await image.clone().resize(side, side, { fit: 'fill' }).raw().toBuffer();
  return new ort.Tensor('uint8', pixels, [1, side, side, 3]);
}

const stream = createWriteStream(out);
const began = Date.now();
for (const [index, file] of images.entries()) {
  const image = await readImage(file, index);
  const { features, classes } = await session.run({ small: await squash(image, 224), large: await squash(image, 320) });
  for (const tensor of [features, classes]) {
    const data = (tensor as ort.Tensor).data as Float32Array;
    stream.write(Buffer.from(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)));
  }
  if ((index + 1) % 500 === 0)
    console.log(`${index + 1} of ${images.length}, ${((Date.now() - began) / (index + 1)).toFixed(0)} ms each`);
}
stream.end();
