import { useQueryClient } from '@tanstack/react-query';
import { type Ref, Suspense, useEffect, useEffectEvent, useImperativeHandle, useRef, useState } from 'react';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { lazyPart } from '../../api/parts.ts';
import { clipsOptions } from '../../api/queries.ts';
import { boxedTexts, type FoundText, momentOfText, widenSpan } from '../../lib/found-text.ts';
import type { ItemQuery } from '../../lib/search-in.ts';
import { paths } from '../../paths.ts';
import { useAtEnd } from './at-end.ts';
import type { Mark } from './scrubber.tsx';
import { type PlayerHandle, SpanPlayer } from './span-player.tsx';

const PhotoStage = lazyPart(async () => (await import('./photo-stage.tsx')).PhotoStage);

type PlayedHit = Pick<SearchHit, 'id' | 'type' | 'chunk_id' | 'url' | 'thumbnail' | 'start' | 'end' | 'filename'> &
  Partial<Pick<SearchHit, 'steps'>>;

/** What a list can do with the player of its hit. */
type HitPlayerHandle = {
  /** Plays where a text is said or shown, or shows where it is in the picture. */
  showText: (text: FoundText) => void;
};

type HitPlayerProps = {
  hit: PlayedHit;
  /** What was found in its text. */
  texts?: readonly FoundText[];
  /** Seconds, where it begins; null for its start. */
  begin?: number | null;
  ref?: Ref<HitPlayerHandle>;
  /** Goes to the next hit, null at the end of the list. */
  onNext: (() => void) | null;
  /** What found it; links to its moments carry the words. */
  query?: ItemQuery;
};

/** How long an image is shown among clips that play one after the other. */
const imageMs = 4000;

const noTexts: readonly FoundText[] = [];

/** Plays a hit from its start to its end, or shows its image. */
export const HitPlayer = ({ hit, ...props }: HitPlayerProps) =>
  hit.type === 'image' ? <Image key={hit.chunk_id} hit={hit} {...props} /> : <Clip hit={hit} {...props} />;

const noMarks: readonly Mark[] = [];

/** The steps of a hit that has several, on its timeline. */
const marksOf = ({ steps }: PlayedHit): readonly Mark[] =>
  steps?.map(({ chunk_id: id, start, end }) => ({ id, start, end, weak: false })) ?? noMarks;

/** A clip. It grows when something is to be played that is said or shown around it. */
function Clip({ hit, texts = noTexts, begin = null, ref, onNext, query }: HitPlayerProps) {
  const client = useQueryClient();
  const player = useRef<PlayerHandle>(null);
  const [asked, setAsked] = useState<{ chunk: string; moment: number } | null>(null);
  const { chunk_id: id, url, thumbnail: poster, filename: title } = hit;
  const moment = asked?.chunk === id ? asked.moment : begin;
  const { start, end } = moment === null ? hit : widenSpan(hit, moment, texts);
  useImperativeHandle(ref, () => ({
    showText(text) {
      const to = momentOfText(text, hit);
      if (to !== null) setAsked({ chunk: id, moment: to });
    },
  }));
  // After the clip has grown, and again each time that it is asked for.
  useEffect(() => {
    if (asked) player.current?.playFrom(asked.moment);
  }, [asked]);
  return (
    <SpanPlayer
      ref={player}
      clip={{ id, type: hit.type, url, poster, start, end, title }}
      mediaId={hit.id}
      begin={begin ?? undefined}
      autoplay
      texts={boxedTexts(texts)}
      marks={marksOf(hit)}
      onNext={onNext}
      linkTo={(t) => paths.media(hit.id, { t, ...query })}
      onReload={async () => {
        const { data } = await client.fetchQuery({ ...clipsOptions([id]), staleTime: 0 });
        return data[0]?.url;
      }}
    />
  );
}

function Image({ hit, texts = noTexts, ref, onNext }: HitPlayerProps) {
  const [atEnd] = useAtEnd();
  const [asked, setAsked] = useState(0);
  useImperativeHandle(ref, () => ({ showText: () => setAsked((count) => count + 1) }));
  const goOn = useEffectEvent(() => onNext?.());
  useEffect(() => {
    if (atEnd !== 'next') return undefined;
    const timer = setTimeout(goOn, imageMs);
    return () => clearTimeout(timer);
  }, [atEnd]);
  return (
    <Suspense fallback={<img src={hit.thumbnail} alt="" className="absolute inset-0 size-full object-contain" />}>
      <PhotoStage
        photo={{ name: hit.filename, url: hit.url, thumbnail: hit.thumbnail, preview: null, size: null }}
        texts={boxedTexts(texts)}
        asked={asked}
      />
    </Suspense>
  );
}
