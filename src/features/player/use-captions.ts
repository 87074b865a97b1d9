import { type RefObject, useEffect } from 'react';
import { useCaptionTrack } from '../../api/captions.ts';
import { type Cue, cueLead, cuesAt } from '../../lib/captions/parse-vtt.ts';
import { useStoredText } from '../../lib/stored-state.ts';

export type Captions = ReturnType<typeof useCaptions>;

/** The captions of an item in its player. This browser remembers whether they are shown, and in which language. */
export function useCaptions(mediaId: string, video: RefObject<HTMLVideoElement | null>, time: number) {
  const [stored, store] = useStoredText('captions');
  const shown = stored !== null;
  const { chosen, cues, names, place, choose } = useCaptionTrack(mediaId, shown);
  useNativeCaptions(video, shown ? cues : noCues);
  return {
    shown,
    /** BCP 47, null where it is not known. */
    language: chosen?.language ?? null,
    /** Texts of the moment, each once. */
    lines: shown ? [...new Set(cuesAt(cues, time + cueLead).map(({ text }) => text))] : [],
    /** Shows or hides them; null where there are none. */
    toggle: chosen ? () => store(shown ? null : 'shown') : null,
    names,
    place,
    choose,
  };
}

const noCues: readonly Cue[] = [];

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Gives the cues to the browser itself, which shows them where the page cannot: Safari on a phone has full screen for the video alone. */
function useNativeCaptions(video: RefObject<HTMLVideoElement | null>, cues: readonly Cue[]): void {
  useEffect(() => (video.current && cues.length > 0 ? addCues(video.current, cues) : undefined), [video, cues]);
}

/** Browsers sort cues as they are added. A film has some thousand. */
const maxNativeCues = 20_000;

/** Adds cues that are shown in the full screen of a video. @returns takes them away */
function addCues(video: HTMLVideoElement, cues: readonly Cue[]): () => void {
  // A track itself cannot be taken away again.
  const track = video.textTracks[0] ?? video.addTextTrack('captions', 'Captions');
  track.mode = 'hidden';
  const added = cues.slice(0, maxNativeCues).map(
    ({ start, end, text }) =>
      new VTTCue(
        start,
        end,
        text.replaceAll(/[&<>]/g, (character) => escapes[character] ?? character),
      ),
  );
  for (const cue of added) track.addCue(cue);
  const show = () => {
    track.mode = 'showing';
  };
  const hide = () => {
    track.mode = 'hidden';
  };
  video.addEventListener('webkitbeginfullscreen', show);
  video.addEventListener('webkitendfullscreen', hide);
  return () => {
    video.removeEventListener('webkitbeginfullscreen', show);
    video.removeEventListener('webkitendfullscreen', hide);
    for (const cue of added) track.removeCue(cue);
    track.mode = 'disabled';
  };
}
