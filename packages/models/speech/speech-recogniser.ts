import { ModelError } from '../model-error.ts';
import { includedSpeechModel, type SpeechModel } from './speech-models.ts';
import { loadVoiceDetector, type VoiceDetector } from './voice-activity.ts';
import { loadWhisper, type Whisper } from './whisper/load-whisper.ts';
import { readWhisperFolder } from './whisper/whisper-folder.ts';

/** What hears speech and writes it down: loaded when they are first asked for. Both throw `ModelError`. */
type SpeechModels = {
  detector: () => Promise<VoiceDetector>;
  whisper: () => Promise<NamedWhisper>;
};

/** A Whisper, and what it is called, such as `whisper-tiny`. */
type NamedWhisper = Whisper & { name: string };

export type SpeechRecogniser = {
  /** The models stay until this is disposed of. */
  use: () => SpeechModels & Disposable;
};

/** Models that were not used for this long are released: loading takes a second, and they hold 350 MB. */
const idleMs = 60_000;

/**
 * @param threads that Whisper may use
 * @param onProblem is told, in a sentence, that the model cannot be used; the one that npm installs takes its place
 */
export function createSpeechRecogniser(
  model: SpeechModel,
  threads: number,
  onProblem: (sentence: string) => void,
): SpeechRecogniser {
  const detector = keep(loadVoiceDetector);
  const load = async ({ name, folder }: SpeechModel) => ({
    ...(await loadWhisper(await readWhisperFolder(folder), threads)),
    name,
  });
  const whisper = keep<NamedWhisper>(() =>
    load(model).catch((error: unknown) => {
      const included = includedSpeechModel();
      if (!(error instanceof ModelError) || model.folder === included.folder) throw error;
      onProblem(`${error.message} ${included.name} is used instead.`);
      return load(included);
    }),
  );
  let users = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    use() {
      users += 1;
      clearTimeout(timer);
      return {
        detector: detector.get,
        whisper: whisper.get,
        [Symbol.dispose]() {
          users -= 1;
          if (users > 0) return;
          timer = setTimeout(() => [detector, whisper].forEach((model) => model.release()), idleMs).unref();
        },
      };
    },
  };
}

/** A model in memory, from the first `get` to the next `release`. */
function keep<Model extends { release(): Promise<void> }>(load: () => Promise<Model>) {
  let loaded: Promise<Model> | undefined;
  return {
    get: (): Promise<Model> => (loaded ??= load()),
    release(): void {
      // One that could not be loaded is tried again.
      loaded?.then(
        (model) => model.release(),
        () => undefined,
      );
      loaded = undefined;
    },
  };
}
