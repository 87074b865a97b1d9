/** A model cannot be used: files are missing, damaged or do not fit together, or cannot be run here. `message` says what is wrong and how to fix it. */
export class ModelError extends Error {
  override name = 'ModelError';
}
