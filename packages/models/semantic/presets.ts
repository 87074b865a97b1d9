import type { ModelFamily } from '../embedder.ts';
import { configFiles, weightFiles } from './model-folder.ts';

/** A model that is known to work well and may be used commercially. */
export type Preset = {
  name: string;
  /** Where it is on the hub. */
  repository: string;
  licence: string;
  /** Size of what is downloaded, about, bytes. */
  bytes: number;
  about: string;
  /** The files that are needed of it. */
  files: readonly string[];
};

/** A preset of an embedder. */
export type EmbedderPreset = Preset & {
  /** What a process that embeds images takes, about, bytes: its weights, and as much again for what it computes. */
  memory: number;
  /** How long it takes for a picture, in those that `siglip-base-patch16-224` takes: by its parameters and the patches of a picture. */
  work: number;
};

/** The configuration, and all parts in 8 bit. */
const filesOf = (family: ModelFamily) => [...configFiles(family), ...weightFiles(family, 'q8')];

/** Embedders by name. The better ones stand before those that are smaller. */
export const presets: readonly EmbedderPreset[] = [
  {
    name: 'siglip-base-patch16-224',
    repository: 'Xenova/siglip-base-patch16-224',
    licence: 'Apache-2.0',
    bytes: 213e6,
    memory: 1e9,
    work: 1,
    files: filesOf('siglip'),
    about: 'English; the best for its size',
  },
  {
    name: 'siglip2-base-patch16-224',
    repository: 'onnx-community/siglip2-base-patch16-224-ONNX',
    licence: 'Apache-2.0',
    bytes: 410e6,
    memory: 3e9,
    work: 1,
    files: filesOf('siglip'),
    about: 'many languages',
  },
  {
    name: 'siglip2-large-patch16-256',
    repository: 'onnx-community/siglip2-large-patch16-256-ONNX',
    licence: 'Apache-2.0',
    bytes: 922e6,
    memory: 4e9,
    work: 5,
    files: filesOf('siglip'),
    about: 'many languages; finds more than the base size',
  },
  {
    name: 'siglip2-so400m-patch16-256',
    repository: 'onnx-community/siglip2-so400m-patch16-256-ONNX',
    licence: 'Apache-2.0',
    bytes: 1.18e9,
    memory: 5e9,
    work: 7,
    files: filesOf('siglip'),
    about: 'many languages; the largest of its kind here',
  },
  {
    name: 'embeddinggemma-2',
    repository: 'onnx-community/embeddinggemma-2-ONNX',
    licence: 'Apache-2.0',
    bytes: 780e6,
    memory: 4e9,
    work: 25,
    files: filesOf('embedding-gemma'),
    about: 'a hundred languages; moments with their sound, an image together with words',
  },
  {
    name: 'clip-vit-base-patch32',
    repository: 'Xenova/clip-vit-base-patch32',
    licence: 'MIT',
    bytes: 156e6,
    memory: 0.7e9,
    work: 0.3,
    files: filesOf('clip'),
    about: 'English; for small machines',
  },
];

/** The name or the folder of a model, and to how many numbers its vectors are cut, if to any: `embeddinggemma-2:256`. */
export function parseModelName(text: string): { name: string; dimensions: number | null } {
  const [, name = text, dimensions] = /^(.*):(\d{1,6})$/.exec(text) ?? [];
  return { name, dimensions: dimensions === undefined ? null : Number(dimensions) };
}

export const findPreset = (name: string): EmbedderPreset | undefined => presets.find((preset) => preset.name === name);
