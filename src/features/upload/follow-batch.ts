import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { paths } from '../../paths.ts';
import { toast } from '../../ui/toast.ts';
import { describeEnd, measureWork } from './batch.ts';
import { uploadQueue } from './run-uploads.ts';
import { TimeLeft } from './time-left.ts';
import { isActive, type Upload } from './upload.ts';

/** Tells once all uploads have ended: on the page and, where the person allowed it, by the system while the page is hidden. */
export function useBatchNotice(uploads: readonly Upload[]): void {
  const navigate = useNavigate();
  const told = useRef<ReadonlySet<number>>(new Set());
  const active = uploads.some(isActive);
  const tell = useEffectEvent(() => {
    const ended = uploads.filter(({ key, state }) => !told.current.has(key) && state !== 'cancelled');
    told.current = new Set(uploads.map(({ key }) => key));
    const text = describeEnd(ended);
    // The row of a single file shows it already.
    const hidden = document.visibilityState === 'hidden';
    if (text === null || (ended.length < 2 && !hidden)) return;
    const view = () => void navigate(paths.library);
    toast.success(text, { action: { label: 'View', onClick: view }, duration: 10_000 });
    if (hidden) notifyBySystem(text, view);
  });
  useEffect(() => {
    if (!active) tell();
  }, [active]);
}

function notifyBySystem(text: string, onClick: () => void): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  try {
    const notification = new Notification('Media Search', { body: text, tag: 'uploads' });
    notification.addEventListener('click', () => {
      window.focus();
      onClick();
    });
  } catch {
    // Some phones take notifications from service workers only.
  }
}

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

const prefix = /^\(\d[^)]*\) /;

/** Puts a count in front of the title of the page, such as `(42/165) Library`, for a user on another tab. Null: none. */
export function useTitleCount(count: string | null): void {
  useEffect(() => {
    if (count === null) return undefined;
    const show = () => {
      const title = `(${count}) ${document.title.replace(prefix, '')}`;
      if (document.title !== title) document.title = title;
    };
    show();
    // Pages set their own titles.
    const observer = new MutationObserver(show);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      document.title = document.title.replace(prefix, '');
    };
  }, [count]);
}
