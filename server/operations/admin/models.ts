import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { includedKinds } from '@media-search/models/embedder';
import { ModelError } from '@media-search/models/model-error';
import { downloadModel } from '@media-search/models/semantic/download-model';
import { readModelFolder } from '@media-search/models/semantic/model-folder';
import { findPreset, parseModelName, type Preset, presets } from '@media-search/models/semantic/presets';
import { recommendModel } from '@media-search/models/semantic/recommend-model';
import { findSpeechPreset, speechPresets } from '@media-search/models/speech/speech-models';
import { setTargetEmbedder } from '../../catalog/embedders.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { chosenEmbedderSetting, readSetting, writeSetting } from '../../catalog/service-settings.ts';
import { StartupError } from '../../errors/startup-error.ts';
import { modelDirectory } from '../../platform/storage/data-directory.ts';
import { chooseEmbedder } from '../../search/embedding/choose-embedder.ts';
import { createTextEmbedders } from '../../search/embedding/text-embedders.ts';
import { memoryOfMachine, type Settings } from '../../settings.ts';

/** All that can be downloaded. */
const allPresets: readonly Preset[] = [...presets, ...speechPresets];

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

/** What the embedders that come with the service are for. */
const aboutIncluded: Record<(typeof includedKinds)[number], string> = {
  builtin: 'English; everyday things, scenes and actions, colours and light',
  descriptors: 'colours, light, texture and motion; recognises no objects',
};

/** `admin model list`: prints the models, which of them are downloaded, which suits this machine, and which are used. */
export async function listModels(db: Catalog, { dataDirectory, embedder, speech }: Settings): Promise<void> {
  for (const name of includedKinds) console.log(`${name}  part of the service  (${aboutIncluded[name]})`);
  for (const { name, licence, bytes, about } of allPresets) {
    const availability = existsSync(path.join(modelDirectory(dataDirectory), name))
      ? 'downloaded'
      : `not downloaded, ${megabytes(bytes)}`;
    console.log(`${name}  ${licence}  ${availability}  (${about})`);
  }
  const machine = { memory: memoryOfMachine(), cores: availableParallelism() };
  const { name: recommended, reason } = recommendModel(machine);
  const size = `${Math.round(machine.memory / 1e9)} GB of memory, cores: ${machine.cores}`;
  console.log(`\nFor this machine (${size}): ${recommended}. ${reason} By estimate; no model was run.`);
  const chosen = (await readSetting(db, chosenEmbedderSetting)) ?? 'builtin';
  console.log(`In use: ${embedder === 'auto' ? chosen : `${embedder}, by the setting EMBEDDER`}.`);
  console.log(
    `Speech: ${speech === 'auto' ? 'whisper-tiny, part of the service' : `${speech}, by the setting SPEECH`}.`,
  );
}

/** `admin model pull`: downloads a preset into the data folder, with a line of progress. Throws `StartupError`. */
export async function pullModel(name: string, { dataDirectory, modelHub }: Settings): Promise<void> {
  const preset = allPresets.find((each) => each.name === name);
  if (!preset)
    throw new StartupError(`There is no model ${name}. There are: ${allPresets.map((each) => each.name).join(', ')}.`);
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
  const use = findSpeechPreset(name) ? `SPEECH=${name} npm start` : `npm run --silent admin -- model use ${name}`;
  console.log(`${name} (${preset.licence}) is downloaded. To use it: ${use}`);
}

/**
 * `admin model use`: chooses the embedder of a service with EMBEDDER=auto, from its next start on; of several processes on one database at once.
 * Throws `StartupError`.
 */
export async function chooseModel(db: Catalog, name: string, settings: Settings): Promise<void> {
  const { dataDirectory, embedder, databaseUrl } = settings;
  if (findSpeechPreset(name)) {
    throw new StartupError(`${name} recognises speech. To use it, start the service with SPEECH=${name}.`);
  }
  const isIncluded = includedKinds.some((kind) => kind === name);
  const { name: model, dimensions } = parseModelName(name);
  const preset = findPreset(model);
  const folder = preset ? path.join(modelDirectory(dataDirectory), model) : path.resolve(model);
  if (preset && !existsSync(folder)) {
    throw new StartupError(
      `${model} is not downloaded. Download it first: npm run --silent admin -- model pull ${model}`,
    );
  }
  try {
    if (!isIncluded) await readModelFolder(folder);
  } catch (error) {
    if (error instanceof ModelError) throw new StartupError(error.message);
    throw error;
  }
  const setting = preset || isIncluded ? name : dimensions === null ? folder : `${folder}:${dimensions}`;
  if (databaseUrl !== null) {
    await changeSharedTarget(db, dataDirectory, setting);
    console.log(
      `${name} is used from now on; stored items are re-embedded in the background. Each machine needs its files.`,
    );
    return;
  }
  await writeSetting(db, chosenEmbedderSetting, setting);
  const note = embedder === 'auto' ? '' : ` The setting EMBEDDER=${embedder} overrides it.`;
  console.log(`${name} is used from the next start on; stored items are re-embedded in the background.${note}`);
}

/** Makes an embedder that works the target of all processes, which hear of it. Throws `StartupError`. */
async function changeSharedTarget(db: Catalog, dataDirectory: string, setting: string): Promise<void> {
  const texts = createTextEmbedders();
  try {
    const { reference, problem } = await chooseEmbedder({ db, dataDirectory, setting }, texts);
    if (problem !== null) throw new StartupError(problem);
    await setTargetEmbedder(db, reference);
  } finally {
    await texts.stop();
  }
}
