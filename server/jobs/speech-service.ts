import { chooseSpeechModel, type SpeechModel } from '@media-search/models/speech/speech-models';
import type { FastifyBaseLogger } from 'fastify';
import { type ModelDownload, startModelDownload } from '../platform/model-download.ts';
import { modelDirectory } from '../platform/storage/data-directory.ts';

export type SpeechService = Awaited<ReturnType<typeof startSpeechService>>;

type Parts = {
  dataDirectory: string;
  /** `auto`, `off`, the name of a preset, or a folder. */
  setting: string;
  /** Base URL of the hub that models are downloaded from. */
  hub: string;
  log: Pick<FastifyBaseLogger, 'info' | 'error'>;
};

/** Which model recognises speech. Never waits for the network: until a model is downloaded the included one does. */
export async function startSpeechService({ dataDirectory, setting, hub, log }: Parts) {
  const choose = async () => {
    const chosen = setting === 'off' ? null : await chooseSpeechModel(setting, modelDirectory(dataDirectory));
    if (chosen?.problem) log.error(`${chosen.problem} ${chosen.model.name} is used instead.`);
    return chosen;
  };
  let choice = await choose();
  let download: ModelDownload | undefined;
  return {
    /** The model in use; null: speech is not read. */
    model: (): SpeechModel | null => choice?.model ?? null,
    /** Why the model that the setting asks for is not used, as a sentence; null when it is, or is being downloaded. */
    problem: (): string | null => choice?.problem ?? null,

    /** Starts to download the model of the setting if it is missing. @param onChange is called with it when it is there */
    downloadMissing(onChange: (model: SpeechModel) => void): void {
      if (!choice?.missing) return;
      const change = async () => {
        choice = await choose();
        if (choice) onChange(choice.model);
      };
      const onDone = () =>
        void change().catch((error: unknown) =>
          log.error({ err: error }, 'could not switch to the downloaded speech model'),
        );
      download = startModelDownload(choice.missing, { dataDirectory, hub, log, onDone });
    },

    stop: () => download?.stop(),
  };
}
