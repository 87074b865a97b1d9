import { Info } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SearchMediaResponse } from '../../api/generated/api/index.ts';

/** What the service says of the results as a whole, and the searches that it suggests in place of this one. */
export function ResultNotice({
  meta: { notice, corrections, translated, suggested_query: suggested },
  onSearch,
}: {
  meta: Pick<SearchMediaResponse['meta'], 'notice' | 'corrections' | 'translated' | 'suggested_query'>;
  /** Searches with other parameters of the URL. */
  onSearch: (changes: { q: string } | { written: '1' }) => void;
}) {
  const typed = [...(corrections ?? []), ...(translated ?? [])].map(({ from }) => `“${from}”`).join(', ');
  return (
    <div role="status" className="mb-4 flex gap-2 rounded-control border border-line bg-surface px-3 py-2.5 text-quiet">
      <Info className="mt-0.5 size-4 shrink-0" aria-hidden />
      <p>
        {notice}{' '}
        {typed === '' ? null : (
          <Suggestion onClick={() => onSearch({ written: '1' })}>Search for {typed} as written</Suggestion>
        )}
        {suggested === undefined ? null : (
          <Suggestion onClick={() => onSearch({ q: suggested })}>Search without quotation marks</Suggestion>
        )}
      </p>
    </div>
  );
}

const Suggestion = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
  <button type="button" onClick={onClick} className="text-accent underline hover:text-ink">
    {children}
  </button>
);
