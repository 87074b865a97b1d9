import { useEffect } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';

/** What is fetched before it is opened: a picture, or the beginning of a video. */
export type Preloaded = { url: string; type: MediaItem['type']; poster: string | null };

/** Fetches what is shown next, and decodes it, so that the step to it shows it at once. */
export function usePreload(neighbour: Preloaded | null): void {
  const { url = null, type = 'image', poster = null } = neighbour ?? {};
  useEffect(() => {
    if (url === null) return undefined;
    if (type === 'image') {
      const image = new Image();
      image.src = url;
      // One that cannot be decoded says so when it is shown.
      image.decode().catch(() => undefined);
      return undefined;
    }
    if (poster !== null) new Image().src = poster;
    const video = document.createElement('video');
    video.preload = 'metadata';
    video.src = url;
    // Browsers keep few videos open at once.
    return () => {
      video.removeAttribute('src');
      video.load();
    };
  }, [url, type, poster]);
}
