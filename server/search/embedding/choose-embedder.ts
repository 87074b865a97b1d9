import { existsSync } from 'node:fs';
import path from 'node:path';
import type { EmbedderReference } from '@media-search/models/embedder';
import { builtinReference, descriptorsReference } from '@media-search/models/load-embedder';
import { ModelError } from '@media-search/models/model-error';
import { traitsOf } from '@media-search/models/model-traits';
import { readModelFolder } from '@media-search/models/semantic/model-folder';
import { findPreset, parseModelName, type Preset } from '@media-search/models/semantic/presets';
import type { LoadableModel } from '@media-search/models/semantic/semantic-embedder';
import { findEmbedder } from '../../catalog/embedders.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { chosenEmbedderSetting, readSetting } from '../../catalog/service-settings.ts';
import { modelDirectory } from '../../platform/storage/data-directory.ts';

export type EmbedderChoice = {
  reference: EmbedderReference;
  /** The model that would be used if it were downloaded; null when nothing is missing. */
  missing: Preset | null;
  /** Why the requested embedder is not used, as a sentence; null when it is. */
  problem: string | null;
};

/** Runs embedders to find out whether they work. Both throw `ModelError`. */
export type Trials = {
  tryModel: (model: LoadableModel) => Promise<number>;
  tryBuiltin: (reference: EmbedderReference) => Promise<void>;
};

/**
 * Chooses the embedder to use now: the one that the setting or `admin model use` names if it is present and works, else the built-in one. With
 * `auto` and no choice it is the built-in one: nothing is downloaded unless it is asked for. Where the built-in one cannot be run, because
 * its weights are damaged or ONNX Runtime does not support the machine, it is the descriptors.
 * @param setting `auto`, `builtin`, `descriptors`, the name of a preset or a folder, with a number of dimensions behind a colon where they are fewer than the model's
 */
export async function chooseEmbedder(
  { db, dataDirectory, setting }: { db: Catalog; dataDirectory: string; setting: string },
  trials: Trials,
): Promise<EmbedderChoice> {
  const requested = setting === 'auto' ? ((await readSetting(db, chosenEmbedderSetting)) ?? 'builtin') : setting;
  if (requested === 'descriptors') return { reference: descriptorsReference, missing: null, problem: null };
  if (requested === 'builtin') return chooseBuiltin(trials);
  const { name, dimensions } = parseModelName(requested);
  const preset = findPreset(name);
  const folder = preset ? path.join(modelDirectory(dataDirectory), preset.name) : path.resolve(name);
  if (preset && !existsSync(folder)) return { ...(await chooseBuiltin(trials)), missing: preset };
  try {
    return { reference: await readReference(db, { folder, dimensions }, trials), missing: null, problem: null };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { ...(await chooseBuiltin(trials)), problem: error.message };
  }
}

async function chooseBuiltin({ tryBuiltin }: Trials): Promise<EmbedderChoice> {
  try {
    await tryBuiltin(builtinReference);
    return { reference: builtinReference, missing: null, problem: null };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { reference: descriptorsReference, missing: null, problem: error.message };
  }
}

/**
 * What images are embedded of (`indexing/framing/`): the second version looks for what is inside of borders. The identifiers of the built-in embedders
 * change with it as well, so that what was indexed before is embedded again.
 */
const inputVersion = 2;

async function readReference(
  db: Catalog,
  { folder, dimensions }: { folder: string; dimensions: number | null },
  { tryModel }: Trials,
): Promise<EmbedderReference> {
  const { revision, ...model } = await readModelFolder(folder);
  const named = `${path.basename(folder)}@${revision}:${model.precision}:${inputVersion}`;
  const reference = { kind: 'semantic' as const, id: dimensions === null ? named : `${named}:${dimensions}`, ...model };
  const { shorterDimensions } = traitsOf({ ...reference, dimensions: 0 });
  if (dimensions !== null && !shorterDimensions.includes(dimensions)) {
    const possible = shorterDimensions.length > 0 ? `; they can to ${shorterDimensions.join(', ')}` : '';
    throw new ModelError(`The vectors of ${path.basename(folder)} cannot be cut to ${dimensions} numbers${possible}.`);
  }
  // The same files were tested before.
  const known = await findEmbedder(db, reference.id);
  const whole = known?.dimensions ?? (await tryModel(model));
  return { ...reference, dimensions: dimensions ?? whole };
}
