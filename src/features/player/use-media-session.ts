import { useEffect, useEffectEvent } from 'react';

type Actions = { play: () => void; pause: () => void; seekBy: (seconds: number) => void; onNext: (() => void) | null };

/** Names the clip to the system, whose keys and lock screen then play, pause and seek. */
export function useMediaSession({ title, poster }: { title: string; poster: string }, actions: Actions): void {
  const act = useEffectEvent((action: MediaSessionAction, offset: number) => {
    if (action === 'play') actions.play();
    if (action === 'pause') actions.pause();
    if (action === 'seekbackward') actions.seekBy(-offset);
    if (action === 'seekforward') actions.seekBy(offset);
    if (action === 'nexttrack') actions.onNext?.();
  });
  const hasNext = actions.onNext !== null;
  useEffect(() => {
    // Not in every browser.
    const session = (navigator as Partial<Navigator>).mediaSession;
    if (!session) return undefined;
    session.metadata = new MediaMetadata({ title, artwork: poster === '' ? [] : [{ src: poster }] });
    const handled: MediaSessionAction[] = ['play', 'pause', 'seekbackward', 'seekforward'];
    if (hasNext) handled.push('nexttrack');
    for (const action of handled) {
      session.setActionHandler(action, ({ seekOffset }) => act(action, seekOffset ?? 5));
    }
    return () => {
      session.metadata = null;
      for (const action of handled) session.setActionHandler(action, null);
    };
  }, [title, poster, hasNext]);
}
