import { cp, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../media/testing/temporary-folder.ts';
import { downloadModel } from '../semantic/download-model.ts';
import { startModelHub } from '../testing/model-hub.ts';
import { speak } from '../testing/speak.ts';
import { chooseSpeechModel, findSpeechPreset, includedSpeechModel } from './speech-models.ts';
import { createSpeechRecogniser } from './speech-recogniser.ts';
import { transcribeWindow } from './transcribe-window.ts';

const included = includedSpeechModel();
const base = findSpeechPreset('whisper-base');
if (!base) throw new Error('There is no such preset.');

test('a preset is downloaded, file by file with its checksum, and then it is the model', async () => {
  await using data = await temporaryFolder();
  expect(await chooseSpeechModel('auto', data.file('models'))).toEqual({
    model: included,
    missing: null,
    problem: null,
  });
  // Until it is there, speech is recognised with what npm installed.
  expect(await chooseSpeechModel('whisper-base', data.file('models'))).toEqual({
    model: included,
    missing: base,
    problem: null,
  });
  await using hub = await startModelHub(included.folder, { preset: base });
  const folder = path.join(data.path, 'models', 'whisper-base');
  const options = { hub: hub.url, onProgress: () => undefined, signal: new AbortController().signal };
  await downloadModel(base, folder, options);
  expect(await chooseSpeechModel('whisper-base', data.file('models'))).toEqual({
    model: { name: 'whisper-base', folder },
    missing: null,
    problem: null,
  });
});

test.each<[what: string, spoil: (file: (name: string) => string) => Promise<unknown>, problem: RegExp]>([
  ['a missing folder', (file) => rm(file('.'), { recursive: true }), /has no config\.json\.$/],
  ['a missing file', (file) => rm(file('tokenizer.json')), /has no tokenizer\.json\.$/],
  ['missing weights', (file) => rm(file('onnx'), { recursive: true }), /has no weights/],
  ['another kind of model', (file) => writeFile(file('config.json'), '{"model_type":"bert"}'), /of the type bert/],
  ['a broken description', (file) => writeFile(file('config.json'), '{"model'), /is no JSON\.$/],
  ['one language', (file) => writeFile(file('generation_config.json'), '{"no_timestamps_token_id":1}'), /multilingual/],
])('%s is explained in a sentence, and the included model is used', async (_, spoil, problem) => {
  await using data = await temporaryFolder();
  const folder = data.file('my-whisper');
  await cp(included.folder, folder, { recursive: true, filter: (file) => !file.endsWith('onnx') });
  await mkdir(path.join(folder, 'onnx'));
  for (const name of ['encoder_model', 'decoder_model_merged'].map((each) => `onnx/${each}_quantized.onnx`)) {
    await symlink(path.join(included.folder, name), path.join(folder, name));
  }
  expect(await chooseSpeechModel(folder, data.path)).toEqual({
    model: { name: 'my-whisper', folder },
    missing: null,
    problem: null,
  });
  await spoil((name) => path.join(folder, name));
  const choice = await chooseSpeechModel(folder, data.path);
  expect(choice).toMatchObject({ model: included, problem: expect.stringMatching(problem) });
});

test('damaged weights are told of in a sentence, and the included model recognises what is said', async () => {
  await using data = await temporaryFolder();
  const folder = data.file('my-whisper');
  await cp(included.folder, folder, { recursive: true });
  await truncate(path.join(folder, 'onnx', 'encoder_model_quantized.onnx'), 1000);
  const problems: string[] = [];
  const recogniser = createSpeechRecogniser({ name: 'my-whisper', folder }, 1, (problem) => problems.push(problem));
  using models = recogniser.use();
  const whisper = await models.whisper();
  expect(whisper.name).toBe('whisper-tiny');
  expect(problems).toEqual([
    expect.stringMatching(/^The speech model in .* cannot be loaded: .* whisper-tiny is used/),
  ]);
  const { samples } = await speak('Welcome to the museum. Today we will see all the paintings.', {
    voice: 'en-us+f5',
    rate: 150,
  });
  const [line] = await transcribeWindow(whisper, { samples, pieces: [{ offset: 0, start: 60 }] }, new Map());
  expect(line).toMatchObject({ text: 'Welcome to the museum.', language: 'en' });
  expect(line?.start).toBeCloseTo(60, 0);
});
