import { useEffect, useEffectEvent, useRef } from 'react';
import { useNavigate } from 'react-router';
import { paths } from '../../paths.ts';
import { toast } from '../../ui/toast.ts';
import { describeEnd } from './batch.ts';
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
    // The row of a single file says it already to who looks.
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
