import { useEffect, useEffectEvent } from 'react';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { useAtEnd } from './at-end.ts';
import { SpanPlayer } from './span-player.tsx';

type PlayedHit = Pick<SearchHit, 'type' | 'chunk_id' | 'url' | 'thumbnail' | 'start' | 'end' | 'filename'>;

/** How long an image is shown among clips that play one after the other. */
const imageMs = 4000;

/**
 * Plays a hit from its start to its end, or shows its image.
 * @param onNext goes to the next hit, null at the end of the list
 */
export const HitPlayer = ({ hit, onNext }: { hit: PlayedHit; onNext: (() => void) | null }) =>
  hit.type === 'video' ? (
    <SpanPlayer
      key={hit.chunk_id}
      url={hit.url}
      poster={hit.thumbnail}
      start={hit.start}
      end={hit.end}
      onNext={onNext}
    />
  ) : (
    <Image key={hit.chunk_id} hit={hit} onNext={onNext} />
  );

function Image({ hit, onNext }: { hit: PlayedHit; onNext: (() => void) | null }) {
  const [atEnd] = useAtEnd();
  const goOn = useEffectEvent(() => onNext?.());
  useEffect(() => {
    if (atEnd !== 'next') return undefined;
    const timer = setTimeout(goOn, imageMs);
    return () => clearTimeout(timer);
  }, [atEnd]);
  return <img src={hit.url} alt={hit.filename} className="mx-auto max-h-[65dvh] object-contain" />;
}
