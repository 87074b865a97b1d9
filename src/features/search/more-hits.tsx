import { LoaderCircle } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { nextCount } from './search-options.tsx';

/** Leads from the results that are shown to more of them, or says that a search returns no more. */
export function MoreHits({
  count,
  loading,
  failure,
  onMore,
  onRetry,
}: {
  /** How many were asked for, and are shown. */
  count: number;
  loading: boolean;
  /** Why more could not be loaded. */
  failure: string | null;
  onMore: (count: number) => void;
  onRetry: () => void;
}) {
  const next = nextCount(count);
  if (next === undefined && !loading && failure === null) {
    return (
      <p className="py-8 text-center text-quiet">
        These are the best {count}, the most that one search returns. Other words or filters find others.
      </p>
    );
  }
  return (
    <div className="flex flex-col items-center gap-2 py-8">
      {failure === null ? null : (
        <p role="alert" className="text-danger">
          {failure}
        </p>
      )}
      <Button
        aria-disabled={loading}
        onClick={() => {
          if (failure !== null) onRetry();
          else if (!loading && next !== undefined) onMore(next);
        }}
      >
        {loading ? <LoaderCircle className="animate-spin" aria-hidden /> : null}
        {loading ? 'Loading more…' : failure === null ? 'Show more' : 'Try again'}
      </Button>
    </div>
  );
}
