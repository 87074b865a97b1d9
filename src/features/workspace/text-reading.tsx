import type { ReactNode } from 'react';
import type { Workspace } from '../../api/generated/api/index.ts';
import { formatCount, formatTimeLeft } from '../../lib/format.ts';
import { modelName } from '../../lib/model-name.ts';
import { useSecondsLeft } from '../../lib/time-to-read.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';

/** How far the reading of on-screen text and speech is, and of what both mean, which goes on behind items that are found already. */
export function TextReading({
  reading: { ocr, speech, meaning },
  usage: { by_status: statuses },
  at,
}: {
  reading: Workspace['text_extraction'];
  usage: Workspace['usage'];
  /** When this was so, milliseconds. */
  at: number;
}) {
  const rest = { complete: statuses.complete, isPaused: statuses.pending + statuses.indexing > 0, at };
  return (
    <div className="space-y-4">
      <Part {...rest} name="On-screen text" isOff={ocr.state === 'off'} waiting={ocr.pending}>
        Words that can be seen in pictures are found.
      </Part>
      <Part {...rest} name="Speech" isOff={speech.state === 'off'} waiting={speech.pending}>
        Words that are said are found
        {speech.model === null ? '' : `; ${modelName(speech.model)} recognises them`}.{' '}
        {speech.problem === null ? null : <span className="text-danger">{speech.problem}</span>}
      </Part>
      <Part {...rest} name="Meaning" isOff={false} waiting={meaning.pending}>
        What is said and written in English is found in other words as well.
      </Part>
      <p className="leading-relaxed text-quiet">
        The operator of the server switches each off and on, or chooses another model for speech, by its settings{' '}
        <code>OCR</code> and <code>SPEECH</code>.
      </p>
    </div>
  );
}

/** One kind of text: whether it is read, and how many items wait for it. */
function Part({
  name,
  isOff,
  waiting,
  complete,
  isPaused,
  at,
  children,
}: {
  name: string;
  isOff: boolean;
  waiting: number;
  /** How many items can be read. */
  complete: number;
  /** Whether new items are processed, which comes first. */
  isPaused: boolean;
  at: number;
  /** What it is good for. */
  children: ReactNode;
}) {
  const seconds = useSecondsLeft(waiting, at);
  if (isOff) return <Row name={name}>Off: it is not read on this server.</Row>;
  if (waiting === 0) return <Row name={name}>{children}</Row>;
  return (
    <Row name={name}>
      {waiting === 1 ? '1 item waits' : `${formatCount(waiting)} items wait`} to be read
      {isPaused ? ', after new items, which come first' : seconds === null ? '' : ` · ${formatTimeLeft(seconds)}`}.
      <span className="mt-2 block">
        <ProgressBar fraction={Math.max(0, 1 - waiting / Math.max(1, complete))} label={`Reading: ${name}`} />
      </span>
    </Row>
  );
}

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <section aria-label={name}>
    <h3 className="font-medium">{name}</h3>
    <div className="leading-relaxed text-quiet tabular-nums">{children}</div>
  </section>
);
