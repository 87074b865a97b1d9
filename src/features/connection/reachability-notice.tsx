import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CloudOff } from 'lucide-react';
import { useEffect } from 'react';
import { useReachable } from '../../api/reachability.ts';
import { healthQueryOptions } from '../../api/session.ts';

/** Says that the service cannot be reached, polls its health, and reloads all queries when it answers. */
export function ReachabilityNotice() {
  const client = useQueryClient();
  const reachable = useReachable();
  useQuery({ ...healthQueryOptions, enabled: !reachable });
  useEffect(() => {
    // The cleanup runs once the service answers: it reloads what failed or went stale meanwhile.
    if (!reachable) return () => void client.invalidateQueries();
    return undefined;
  }, [reachable, client]);
  return (
    <div role="status" className="sticky top-0 z-20">
      {reachable ? null : (
        <p className="flex items-center justify-center gap-2 bg-danger px-4 py-1.5 text-center text-label font-medium text-surface">
          <CloudOff className="size-4 shrink-0" aria-hidden />
          The server cannot be reached. Retrying automatically; uploads are paused and nothing is lost.
        </p>
      )}
    </div>
  );
}
