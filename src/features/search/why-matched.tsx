import type { ReactNode } from 'react';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { formatCount, formatPercent } from '../../lib/format.ts';
import { Excerpt } from './excerpt.tsx';

/** Why a hit was found: its score, and what each part of the search gave for it. */
export function WhyMatched({ hit, scoreName }: { hit: SearchHit; scoreName: string }) {
  const { visual, text, excerpt, rerank } = hit.signals;
  const copies = hit.duplicates?.length ?? 0;
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-1.5 border-t border-line px-4 py-2.5 text-label">
      <Reason name={scoreName}>
        {formatPercent(hit.score)}
        {hit.weak ? <span className="text-quiet"> · weak match</span> : null}
      </Reason>
      {visual === undefined ? null : (
        <Reason name="Visual match" title="Similarity of image and query, from -1 to 1">
          {visual.toFixed(2)}
        </Reason>
      )}
      {text === undefined ? null : (
        <Reason name="Text match" title="How well the text matches (BM25)">
          {text.toFixed(1)}
        </Reason>
      )}
      {rerank === undefined ? null : <Reason name="Rerank">{formatPercent(rerank)}</Reason>}
      {copies > 0 ? <Reason name="Duplicates">{formatCount(copies)} similar</Reason> : null}
      {excerpt ? (
        <Reason name={isFilename(excerpt, hit.filename) ? 'File name' : 'Text'}>
          <Excerpt parts={excerpt} />
        </Reason>
      ) : null}
    </dl>
  );
}

/** Whether an excerpt is cut from the name of the file; others are from subtitles, chapter titles or tags. */
const isFilename = (excerpt: { text: string }[], filename: string): boolean =>
  filename.includes(
    excerpt
      .map(({ text }) => text)
      .join('')
      .replaceAll('…', ''),
  );

const Reason = ({ name, title, children }: { name: string; title?: string; children: ReactNode }) => (
  <div className="flex gap-1.5" title={title}>
    <dt className="text-quiet">{name}</dt>
    <dd className="tabular-nums">{children}</dd>
  </div>
);
