import { Hourglass } from 'lucide-react';
import { useState } from 'react';
import { usePausedUntil } from '../../api/throttle.ts';
import { formatDuration } from '../../lib/format.ts';
import { useSecondsLeft } from '../../lib/use-seconds-left.ts';

/** Shorter pauses pass before anybody has read of them, seconds. */
const minSeconds = 2;

/** Counts down while requests wait because there were too many. */
export function ThrottleNotice() {
  const until = usePausedUntil();
  return (
    <div role="status" className="sticky top-0 z-20">
      {until > 0 ? <Countdown key={until} until={until} /> : null}
    </div>
  );
}

function Countdown({ until }: { until: number }) {
  const seconds = useSecondsLeft(until);
  const [isLong] = useState(seconds >= minSeconds);
  if (!isLong) return null;
  return (
    <p className="flex items-center justify-center gap-2 border-b border-line bg-accent-soft px-4 py-1.5 text-center text-label font-medium text-ink">
      <Hourglass className="size-4 shrink-0 text-accent" aria-hidden />
      Too many requests.
      {/* Read aloud once, not each second. */}
      <span className="sr-only">Trying again soon, by itself.</span>
      <span aria-hidden className="tabular-nums">
        Trying again in {seconds < 90 ? `${seconds} s` : formatDuration(seconds)}
      </span>
    </p>
  );
}
