/** What the tests use of eSpeak NG, which comes without types. */
declare module '@echogarden/espeak-ng-emscripten' {
  /** `audio_position` in milliseconds; `text_position` counts characters from 1; the `id` of a phoneme is its name. */
  type SpeechEvent = {
    type: string;
    text_position: number;
    word_length: number;
    audio_position: number;
    id: string | number | undefined;
  };
  type Synthesizer = {
    /** 0 where there is such a voice. */
    set_voice(name: string): number;
    set_rate(wordsPerMinute: number): void;
    set_pitch(pitch: number): void;
    /** Calls back with samples in 16 bits at 22,050 Hz. */
    synthesize(text: string, take: (samples: Int16Array, events: SpeechEvent[]) => boolean): void;
  };
  const load: () => Promise<{ eSpeakNGWorker: new () => Synthesizer }>;
  export default load;
}
