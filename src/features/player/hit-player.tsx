import type { SearchHit } from '../../api/generated/api.ts';
import { SpanPlayer } from './span-player.tsx';

/** Plays a hit from its start to its end, or shows its picture. */
export const HitPlayer = ({
  hit,
}: {
  hit: Pick<SearchHit, 'type' | 'chunk_id' | 'url' | 'thumbnail' | 'start' | 'end' | 'filename'>;
}) =>
  hit.type === 'video' ? (
    <SpanPlayer key={hit.chunk_id} url={hit.url} poster={hit.thumbnail} start={hit.start} end={hit.end} />
  ) : (
    <img src={hit.url} alt={hit.filename} className="mx-auto max-h-[65dvh] object-contain" />
  );
