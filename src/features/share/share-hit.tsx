import type { MediaItem } from '../../api/generated/api/index.ts';
import { ShareButton } from './share-button.tsx';

/** Makes a public link to the moment of a hit, or to its photograph. */
export function ShareHit({
  hit: { id, type, start, end },
}: {
  hit: { id: string; type: MediaItem['type']; start: number; end: number };
}) {
  return <ShareButton of={type === 'image' ? { id, type } : { id, type, moment: { start, end } }} />;
}
