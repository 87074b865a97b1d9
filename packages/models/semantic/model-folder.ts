import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
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

/** How files of each precision end. */
const suffixes: Record<ModelPrecision, string> = { q8: '_quantized', fp32: '', fp16: '_fp16' };

const families: Record<string, ModelFamily> = {
  clip: 'clip',
  siglip: 'siglip',
  siglip2: 'siglip',
  embedding_gemma2: 'embedding-gemma',
};

/** The files of the models of a form. */
type FormFiles = {
  /** Beside `config.json` and what the tokenizer is read from. */
  processor: string;
  /** Names of the files of weights, without ending. */
  parts: readonly string[];
  /** The preferred first: smaller and quicker, with next to nothing lost. */
  precisions: readonly ModelPrecision[];
};

const dualEncoder: FormFiles = {
  processor: 'preprocessor_config.json',
  parts: ['text_model', 'vision_model'],
  precisions: ['q8', 'fp32', 'fp16'],
};

const formFiles: Record<ModelFamily, FormFiles> = {
  clip: dualEncoder,
  siglip: dualEncoder,
  'embedding-gemma': {
    processor: 'processor_config.json',
    parts: ['model', 'vision_encoder', 'audio_encoder'],
    // What its layers compute exceeds the range of half floats.
    precisions: ['q8', 'fp32'],
  },
};

/** Files of a model beside its weights. */
export const configFiles = (family: ModelFamily): string[] => [
  'config.json',
  formFiles[family].processor,
  'tokenizer.json',
  'tokenizer_config.json',
];

/** The files with the weights of all parts. */
export const weightFiles = (family: ModelFamily, precision: ModelPrecision): string[] =>
  formFiles[family].parts.map((part) => `onnx/${part}${suffixes[precision]}.onnx`);

/** Whether a file holds the numbers of a file of weights, which are beside it where they are more than two gigabytes, or its makers wanted it so. */
export const isDataOf = (weights: string, file: string): boolean =>
  file.startsWith(`${weights}_data`) && /^(_\d+)?$/.test(file.slice(`${weights}_data`.length));

/** Reads what kind of model a folder holds. Throws `ModelError`. */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  const has = (file: string) =>
    access(path.join(folder, file)).then(
      () => true,
      () => false,
    );
  const requireFile = async (file: string) => {
    if (!(await has(file))) throw new ModelError(`The model folder ${folder} has no ${file}.`);
  };
  await requireFile('config.json');
  const { model_type: type } = await readJson(path.join(folder, 'config.json'));
  const family = families[String(type)];
  if (!family) {
    const known = Object.keys(families).join(', ');
    throw new ModelError(`The model in ${folder} is of the type ${String(type)}; only these can be used: ${known}.`);
  }
  const configuration = configFiles(family);
  for (const file of configuration) await requireFile(file);
  const { parts, precisions } = formFiles[family];
  for (const precision of precisions) {
    const files = weightFiles(family, precision);
    if (!(await Promise.all(files.map(has))).every(Boolean)) continue;
    const data = await listData(folder, files);
    return { folder, family, precision, revision: await fingerprint(folder, [...configuration, ...files, ...data]) };
  }
  const wanted = parts.map((part) => `onnx/${part}.onnx`).join(', ');
  const endings = precisions.map((precision) => suffixes[precision]).filter(Boolean);
  throw new ModelError(
    `The model folder ${folder} has no weights: ${wanted}, or all of them with the ending ${endings.join(' or ')}.`,
  );
}

/** The files beside some files of weights that hold their numbers. */
async function listData(folder: string, weights: string[]): Promise<string[]> {
  const names = (await readdir(path.join(folder, 'onnx'))).map((name) => `onnx/${name}`).toSorted();
  return names.filter((name) => weights.some((file) => isDataOf(file, name)));
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
