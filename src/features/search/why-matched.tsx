import type { ReactNode } from 'react';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { formatCount, formatPercent } from '../../lib/format.ts';
import type { TextMatch as Match } from '../../lib/found-text.ts';
import { TextMatch } from '../../ui/text-match.tsx';

/** Why a hit was found: its score, what each part of the search gave for it, and the texts that answer the query. */
export function WhyMatched({
  hit,
  scoreName,
  onShowText,
}: {
  hit: SearchHit;
  scoreName: string;
  /** Plays where a text is said or shown, or shows where it is in the picture. */
  onShowText: (match: Match) => void;
}) {
  const { visual, text, rerank, matches = [] } = hit.signals;
  const copies = hit.duplicates?.length ?? 0;
  return (
    <>
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
      </dl>
      {matches.length > 0 ? (
        <ul aria-label="Texts that match" className="space-y-1 px-4 pb-2.5 text-label">
          {matches.map((match, i) => (
            // oxlint-disable-next-line react/no-array-index-key -- the texts of a hit never change places
            <li key={i}>
              <TextMatch match={match} type={hit.type} onShow={() => onShowText(match)} />
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}

const Reason = ({ name, title, children }: { name: string; title?: string; children: ReactNode }) => (
  <div className="flex gap-1.5" title={title}>
    <dt className="text-quiet">{name}</dt>
    <dd className="tabular-nums">{children}</dd>
  </div>
);
