import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useEffectEvent } from 'react';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { lazyPart } from '../../api/parts.ts';
import { clipsOptions, type SearchSource } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { useAtEnd } from './at-end.ts';
import { SpanPlayer } from './span-player.tsx';

const ZoomImage = lazyPart(async () => (await import('./zoom-image.tsx')).ZoomImage);

type PlayedHit = Pick<SearchHit, 'id' | 'type' | 'chunk_id' | 'url' | 'thumbnail' | 'start' | 'end' | 'filename'>;

type HitPlayerProps = {
  hit: PlayedHit;
  /** Goes to the next hit, null at the end of the list. */
  onNext: (() => void) | null;
  /** What found it; links to its moments carry the words. */
  query?: SearchSource;
};

/** How long an image is shown among clips that play one after the other. */
const imageMs = 4000;

/** Plays a hit from its start to its end, or shows its image. */
export function HitPlayer({ hit, onNext, query }: HitPlayerProps) {
  const client = useQueryClient();
  if (hit.type === 'image') return <Image key={hit.chunk_id} hit={hit} onNext={onNext} />;
  const { chunk_id: id, url, thumbnail: poster, start, end, filename: title } = hit;
  const words = query && 'words' in query ? { q: query.words } : {};
  return (
    <SpanPlayer
      clip={{ id, url, poster, start, end, title }}
      autoplay
      onNext={onNext}
      linkTo={(t) => paths.media(hit.id, { t, ...words })}
      onReload={async () => {
        const { data } = await client.fetchQuery({ ...clipsOptions([id]), staleTime: 0 });
        return data[0]?.url;
      }}
    />
  );
}

function Image({ hit, onNext }: Pick<HitPlayerProps, 'hit' | 'onNext'>) {
  const [atEnd] = useAtEnd();
  const goOn = useEffectEvent(() => onNext?.());
  useEffect(() => {
    if (atEnd !== 'next') return undefined;
    const timer = setTimeout(goOn, imageMs);
    return () => clearTimeout(timer);
  }, [atEnd]);
  return (
    <Suspense
      fallback={<img src={hit.url} alt={hit.filename} className="mx-auto max-h-[70dvh] bg-raised object-contain" />}
    >
      <ZoomImage url={hit.url} name={hit.filename} />
    </Suspense>
  );
}
