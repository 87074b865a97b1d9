import { formatDuration } from '../lib/format.ts';
import { useSecondsLeft } from '../lib/use-seconds-left.ts';

/**
 * A time to wait that counts down: `in 12 s`, at last `now`. Read aloud once, not each second.
 * @param until milliseconds of `Date.now`
 */
export function Countdown({ until }: { until: number }) {
  const seconds = useSecondsLeft(until);
  const text = seconds === 0 ? 'now' : `in ${seconds < 90 ? `${seconds} s` : formatDuration(seconds)}`;
  return (
    <>
      <span aria-hidden className="tabular-nums">
        {text}
      </span>
      <span className="sr-only">{seconds === 0 ? 'now' : 'soon'}</span>
    </>
  );
}
