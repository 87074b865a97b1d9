import type { ReactNode } from 'react';
import type { SearchHit, SearchMediaResponse } from '../../api/generated/api/index.ts';
import { formatPercent, formatSpan } from '../../lib/format.ts';
import { modelName } from '../../lib/model-name.ts';

const cell = 'px-2 py-1 text-left font-normal whitespace-nowrap tabular-nums';

/** What people who build something on searches want to know of an answer: its time, its model, and what each part gave for each hit. */
export const ResultDetails = ({ meta, hits }: { meta: SearchMediaResponse['meta']; hits: SearchHit[] }) => (
  <details className="mt-8 border-t border-line pt-3 text-label text-quiet">
    <summary className="w-fit cursor-pointer rounded-control py-1 pr-2 font-medium hover:text-ink">Details</summary>
    <dl className="flex flex-wrap gap-x-6 gap-y-1 py-2">
      <Entry name="Time">{Math.max(1, Math.round(meta.took_ms))} ms</Entry>
      <Entry name="Model">{modelName(meta.embedder)}</Entry>
      <Entry name="Reranked">{meta.reranked ? 'yes' : 'no'}</Entry>
    </dl>
    {hits.length > 0 ? (
      // Scrolled to the side by keyboard as well.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above
      <div tabIndex={0} role="region" aria-label="Scores of the results" className="overflow-x-auto rounded-control">
        <table className="text-xs">
          <thead>
            <tr className="border-b border-line">
              {['', 'File', 'Span', 'Relevance', 'Picture', 'Text', 'Rerank'].map((name) => (
                <th key={name} scope="col" className={cell}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {hits.map((hit, i) => (
              <tr key={hit.chunk_id}>
                <td className={cell}>{i + 1}</td>
                <th scope="row" className={`${cell} max-w-80 truncate text-ink`}>
                  {hit.filename}
                </th>
                <td className={cell}>{formatSpan(hit)}</td>
                <td className={cell}>
                  {formatPercent(hit.score)}
                  {hit.weak ? ', weak' : ''}
                </td>
                <td className={cell}>{hit.signals.visual?.toFixed(2)}</td>
                <td className={cell}>{hit.signals.text?.toFixed(1)}</td>
                <td className={cell}>{hit.signals.rerank === undefined ? '' : formatPercent(hit.signals.rerank)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    ) : null}
  </details>
);

const Entry = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex gap-1.5">
    <dt>{name}</dt>
    <dd className="text-ink tabular-nums">{children}</dd>
  </div>
);
