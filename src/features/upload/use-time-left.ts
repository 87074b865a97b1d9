import { useEffect, useState } from 'react';
import { measureWork } from './batch.ts';
import { uploadQueue } from './run-uploads.ts';
import { TimeLeft } from './time-left.ts';

/** Seconds until all uploads are indexed, as far as that is known. */
export function useTimeLeft(running: boolean): number | null {
  const [seconds, setSeconds] = useState<number | null>(null);
  useEffect(() => {
    if (!running) return undefined;
    const estimate = new TimeLeft();
    const timer = setInterval(
      () => setSeconds(estimate.update(Date.now(), measureWork(uploadQueue.getState().uploads))),
      1000,
    );
    return () => {
      clearInterval(timer);
      setSeconds(null);
    };
  }, [running]);
  return seconds;
}
