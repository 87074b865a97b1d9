import { Hourglass } from 'lucide-react';
import { useState } from 'react';
import { usePausedUntil } from '../../api/throttle.ts';
import { Countdown } from '../../ui/countdown.tsx';

/** Shorter pauses end before a notice could be read, ms. */
const minMs = 1500;

/** Counts down while requests wait because there were too many. */
export function ThrottleNotice() {
  const until = usePausedUntil();
  return (
    <div role="status" className="sticky top-0 z-20">
      {until > 0 ? <Waiting key={until} until={until} /> : null}
    </div>
  );
}

function Waiting({ until }: { until: number }) {
  const [isLong] = useState(() => until - Date.now() > minMs);
  if (!isLong) return null;
  return (
    <p className="flex items-center justify-center gap-2 border-b border-line bg-accent-soft px-4 py-1.5 text-center text-label font-medium text-ink">
      <Hourglass className="size-4 shrink-0 text-accent" aria-hidden />
      <span>
        Too many requests. Trying again <Countdown until={until} />
      </span>
    </p>
  );
}
