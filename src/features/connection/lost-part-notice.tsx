import { RefreshCw } from 'lucide-react';
import { useLostPart } from '../../api/parts.ts';
import { Button } from '../../ui/button.tsx';

/** Offers to load the dashboard again, once a part of the shown page cannot be loaded otherwise. */
export function LostPartNotice() {
  const lost = useLostPart();
  return (
    <div role="status" className="sticky top-0 z-20">
      {lost ? (
        <p className="flex items-center justify-center gap-2 border-b border-line bg-accent-soft px-4 py-1 text-center text-label font-medium text-ink">
          <RefreshCw className="size-4 shrink-0 text-accent" aria-hidden />
          A part of this page could not be loaded.
          <Button variant="quiet" size="small" onClick={() => window.location.reload()}>
            Reload now
          </Button>
        </p>
      ) : null}
    </div>
  );
}
