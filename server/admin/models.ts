import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Catalog } from '../catalog/schema.ts';
import { chosenEmbedderSetting, readSetting, writeSetting } from '../catalog/service-settings.ts';
import { downloadModel } from '../models/semantic/download-model.ts';
import { ModelError, readModelFolder } from '../models/semantic/model-folder.ts';
import { defaultPreset, findPreset, presets } from '../models/semantic/presets.ts';
import { type Settings, StartupError } from '../settings.ts';
import { modelDirectory } from '../storage/data-directory.ts';

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

/** Prints the presets, which of them are here, and what is chosen. */
export async function listModels(db: Catalog, { dataDirectory, embedder }: Settings): Promise<void> {
  for (const { name, licence, bytes, about } of presets) {
    const availability = existsSync(path.join(modelDirectory(dataDirectory), name))
      ? 'here'
      : `to fetch, ${megabytes(bytes)}`;
    console.log(`${name}  ${licence}  ${availability}  (${about})`);
  }
  console.log('builtin  part of the service  here  (colours, light, texture and motion; no things)');
  const chosen =
    (await readSetting(db, chosenEmbedderSetting)) ?? `${defaultPreset.name} when it is here, else builtin`;
  console.log(`\nIn use: ${embedder === 'auto' ? chosen : `${embedder}, by the setting EMBEDDER`}.`);
}

/** Fetches a preset into the data folder, with a line of progress. Throws `StartupError`. */
export async function pullModel(name: string, { dataDirectory, modelHub }: Settings): Promise<void> {
  const preset = findPreset(name);
  if (!preset)
    throw new StartupError(`There is no model ${name}. There are: ${presets.map((each) => each.name).join(', ')}.`);
  let shownPercent = -1;
  try {
    await downloadModel(preset, path.join(modelDirectory(dataDirectory), name), {
      hub: modelHub,
      signal: new AbortController().signal,
      onProgress(done, total) {
        const percent = Math.floor((100 * done) / total);
        if (percent === shownPercent) return;
        shownPercent = percent;
        process.stderr.write(`\r${name}: ${percent} % of ${megabytes(total)}`);
      },
    });
  } catch (error) {
    if (error instanceof ModelError) throw new StartupError(error.message);
    throw error;
  } finally {
    if (shownPercent >= 0) process.stderr.write('\n');
  }
  console.log(`${name} (${preset.licence}) is here. A service whose EMBEDDER is auto uses it from its next start on.`);
}

/** Chooses what a service whose setting is `auto` uses from its next start on. Throws `StartupError`. */
export async function chooseModel(db: Catalog, name: string, { dataDirectory, embedder }: Settings): Promise<void> {
  const preset = findPreset(name);
  const folder = preset ? path.join(modelDirectory(dataDirectory), name) : path.resolve(name);
  if (preset && !existsSync(folder)) {
    throw new StartupError(`${name} is not here. Fetch it first: npm run --silent admin -- model pull ${name}`);
  }
  try {
    if (name !== 'builtin') await readModelFolder(folder);
  } catch (error) {
    if (error instanceof ModelError) throw new StartupError(error.message);
    throw error;
  }
  await writeSetting(db, chosenEmbedderSetting, preset || name === 'builtin' ? name : folder);
  const remark = embedder === 'auto' ? '' : ` The setting EMBEDDER=${embedder} goes before it.`;
  console.log(`${name} is used from the next start on; what is stored is embedded anew in the background.${remark}`);
}
