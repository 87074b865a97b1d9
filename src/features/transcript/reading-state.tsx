import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { mediaItemOptions } from '../../api/queries.ts';
import { formatPercent, formatTimeLeft } from '../../lib/format.ts';
import { useSecondsLeft } from '../../lib/time-to-read.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';

type Kind = 'speech' | 'ocr';

const underWay: Record<Kind, string> = { speech: 'Recognising speech', ocr: 'Reading on-screen text' };
const waiting: Record<Kind, string> = {
  speech: 'Speech will be recognised once new items are processed.',
  ocr: 'On-screen text will be read once new items are processed.',
};
const off: Record<Kind, string> = {
  speech: 'Speech recognition is switched off on this server, and the file has no subtitles.',
  ocr: 'Reading of on-screen text is switched off on this server.',
};
const nothing: Record<Kind, string> = { speech: 'No speech was recognised.', ocr: 'No text can be read in it.' };
const failure: Record<Kind, string> = {
  speech: 'Speech could not be recognised.',
  ocr: 'On-screen text could not be read.',
};

/** How far the recognition of texts is, and why there are none; nothing once there are all. */
export function ReadingState({
  of,
  item,
  hasTexts,
  retry,
}: {
  of: Kind;
  item: MediaItem;
  hasTexts: boolean;
  /** Has them recognised again. */
  retry: ReactNode;
}) {
  const { state, progress, message } = item[of];
  if (state === 'pending') return <Pending of={of} id={item.id} progress={progress} />;
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

/** @param progress 0..1; null before it has begun */
function Pending({ of, id, progress }: { of: Kind; id: string; progress: number | null }) {
  const { dataUpdatedAt } = useQuery(mediaItemOptions(id));
  const seconds = useSecondsLeft(progress === null ? null : 1 - progress, dataUpdatedAt);
  return (
    <div className="mb-3 grid gap-2">
      <p className="text-quiet tabular-nums">
        {progress === null ? (
          waiting[of]
        ) : (
          <>
            {underWay[of]}: {formatPercent(progress)}
            {seconds === null ? null : ` · ${formatTimeLeft(seconds)}`}
          </>
        )}
      </p>
      <ProgressBar fraction={progress ?? 0} label={underWay[of]} />
    </div>
  );
}
