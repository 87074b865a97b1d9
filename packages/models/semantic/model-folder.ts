import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ModelFamily, ModelPrecision } from '../embedder.ts';
import { ModelError } from '../model-error.ts';

/** The description of a model folder, read without running the model. */
export type ModelFolder = {
  folder: string;
  family: ModelFamily;
  precision: ModelPrecision;
  /** First eight digits of the SHA-256 checksum of its configuration and weights. */
  revision: string;
};

/** How files of each precision end, the preferred first: smaller and quicker, with next to nothing lost. */
const suffixes: [ModelPrecision, string][] = [
  ['q8', '_quantized'],
  ['fp32', ''],
  ['fp16', '_fp16'],
];

const families: Record<string, ModelFamily> = { clip: 'clip', siglip: 'siglip', siglip2: 'siglip' };

/** Files of a model beside its weights. */
export const configFiles = ['config.json', 'preprocessor_config.json', 'tokenizer.json', 'tokenizer_config.json'];

/** The files with the weights of both towers. */
export const weightFiles = (precision: ModelPrecision): string[] => {
  const suffix = suffixes.find(([name]) => name === precision)?.[1] ?? '';
  return [`onnx/text_model${suffix}.onnx`, `onnx/vision_model${suffix}.onnx`];
};

/** Reads what kind of model a folder holds. Throws `ModelError`. */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  const has = (file: string) =>
    access(path.join(folder, file)).then(
      () => true,
      () => false,
    );
  for (const file of configFiles) {
    if (!(await has(file))) throw new ModelError(`The model folder ${folder} has no ${file}.`);
  }
  const { model_type: type } = await readJson(path.join(folder, 'config.json'));
  const family = families[String(type)];
  if (!family) {
    throw new ModelError(`The model in ${folder} is of the type ${String(type)}; only clip and siglip can be used.`);
  }
  for (const [precision] of suffixes) {
    const files = weightFiles(precision);
    if (!(await Promise.all(files.map(has))).every(Boolean)) continue;
    return { folder, family, precision, revision: await fingerprint(folder, [...configFiles, ...files]) };
  }
  throw new ModelError(
    `The model folder ${folder} has no weights: onnx/text_model.onnx and onnx/vision_model.onnx, or both with the ending _quantized or _fp16.`,
  );
}

async function readJson(file: string): Promise<Record<string, unknown>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    throw new ModelError(`${file} is no JSON.`, { cause: error });
  }
}

async function fingerprint(folder: string, files: string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) await pipeline(createReadStream(path.join(folder, file)), hash, { end: false });
  return hash.digest('hex').slice(0, 8);
}
