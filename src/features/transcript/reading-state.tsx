import type { ReactNode } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { formatPercent } from '../../lib/format.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';

type Kind = 'speech' | 'ocr';

const underWay: Record<Kind, string> = { speech: 'Recognising speech', ocr: 'Reading on-screen text' };
const off: Record<Kind, string> = {
  speech: 'Speech recognition is switched off on this server, and the file has no subtitles.',
  ocr: 'Reading of on-screen text is switched off on this server.',
};
const nothing: Record<Kind, string> = { speech: 'No speech was recognised.', ocr: 'No text can be read in it.' };
const failure: Record<Kind, string> = {
  speech: 'Speech could not be recognised.',
  ocr: 'On-screen text could not be read.',
};

const notRead: MediaItem['speech'] = { state: 'off', progress: null, language: null, model: null, message: null };

/** How far the recognition of texts is, and why there are none; nothing once there are all. */
export function ReadingState({
  of,
  reading = notRead,
  hasTexts,
  retry,
}: {
  of: Kind;
  /** A service of an earlier version reads nothing. */
  reading: MediaItem['speech'] | undefined;
  hasTexts: boolean;
  /** Has them recognised again. */
  retry: ReactNode;
}) {
  const { state, progress, message } = reading;
  if (state === 'pending') {
    return (
      <div className="mb-3 grid gap-2">
        <p role="status" className="text-quiet">
          {progress === null ? `${underWay[of]} will begin soon.` : `${underWay[of]}: ${formatPercent(progress)}`}
        </p>
        <ProgressBar fraction={progress ?? 0} label={underWay[of]} />
      </div>
    );
  }
  if (state === 'failed') {
    return (
      <div role="alert" className="mb-3 flex flex-wrap items-center gap-3 text-danger">
        <p>{message ?? failure[of]}</p>
        {retry}
      </div>
    );
  }
  if (hasTexts) return null;
  return <p className="text-quiet">{state === 'off' ? off[of] : (message ?? nothing[of])}</p>;
}
