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

/** The configuration, and both towers in 8 bit. */
const files = [...configFiles, ...weightFiles('q8')];

export const presets: readonly Preset[] = [
  {
    name: 'siglip-base-patch16-224',
    repository: 'Xenova/siglip-base-patch16-224',
    licence: 'Apache-2.0',
    bytes: 213e6,
    files,
    about: 'English; the best for its size',
  },
  {
    name: 'siglip2-base-patch16-224',
    repository: 'onnx-community/siglip2-base-patch16-224-ONNX',
    licence: 'Apache-2.0',
    bytes: 410e6,
    files,
    about: 'many languages; needs 3 GB of memory',
  },
  {
    name: 'clip-vit-base-patch32',
    repository: 'Xenova/clip-vit-base-patch32',
    licence: 'MIT',
    bytes: 156e6,
    files,
    about: 'English; for small machines',
  },
];

export const findPreset = (name: string): Preset | undefined => presets.find((preset) => preset.name === name);
