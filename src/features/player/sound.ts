import { useState } from 'react';
import { readText, storeText, useStoredText } from '../../lib/stored-state.ts';

/** Where this tab remembers that the user asked for sound: another tab, or another day, begins in silence again. */
const askedKey = 'sound-asked';

export type Sound = {
  /** 0..1. */
  volume: number;
  muted: boolean;
  setVolume: (volume: number) => void;
  toggle: () => void;
  /** Silences a clip that the browser does not let begin aloud. */
  silence: () => void;
};

/**
 * Volume and mute. This browser remembers both. A clip that starts by itself is muted all the same, until the user asks for sound in this tab.
 * @param startsAlone whether the clip starts without a gesture
 */
export function useSound(startsAlone: boolean): Sound {
  const [volumeText, storeVolume] = useStoredText('volume');
  const [mutedText, storeMuted] = useStoredText('muted');
  const [allowed, setAllowed] = useState(() => !startsAlone || sessionStorage.getItem(askedKey) !== null);
  const volume = readVolume(volumeText);
  const muted = mutedText !== null || !allowed || volume === 0;
  const allow = () => {
    sessionStorage.setItem(askedKey, 'yes');
    setAllowed(true);
  };
  return {
    volume,
    muted,
    setVolume(next) {
      storeVolume(String(next));
      storeMuted(next === 0 ? 'yes' : null);
      if (next > 0) allow();
    },
    toggle() {
      if (!muted) {
        storeMuted('yes');
        return;
      }
      storeMuted(null);
      // From silence there would be nothing to hear.
      if (readVolume(readText('volume')) === 0) storeText('volume', null);
      allow();
    },
    silence: () => setAllowed(false),
  };
}

/** A volume as it was stored, 0..1; full where nothing sensible was. */
function readVolume(text: string | null): number {
  const volume = text === null ? 1 : Number(text);
  return volume >= 0 && volume <= 1 ? volume : 1;
}
