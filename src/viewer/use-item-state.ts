import { useQuery } from '@tanstack/react-query';
import { type RefObject, useMemo, useRef, useState } from 'react';
import type { Chunk, MediaItem } from '../api/generated/api/index.ts';
import { chunksOptions } from '../api/queries.ts';
import { type ItemHits, useItemHits } from '../features/item/use-item-hits.ts';
import { useItemQuery } from '../features/item/use-item-query.ts';
import type { PlayerHandle } from '../features/player/span-player.tsx';
import { type ReviewState, useReview } from '../features/review/use-review.ts';
import type { FoundText, TextMatch } from '../lib/found-text.ts';
import { createClock, type PlaybackClock } from '../lib/playback-clock.ts';
import type { ItemQuery } from '../lib/search-in.ts';
import { storeText } from '../lib/stored-state.ts';

/** What the picture of an item and the drawer beside it share. */
export type ItemState = {
  player: RefObject<PlayerHandle | null>;
  /** Where the player is. */
  clock: PlaybackClock;
  /** What is searched for in it. */
  query: ItemQuery;
  setQuery: (changes: Partial<ItemQuery>) => void;
  hits: ItemHits;
  /** The texts that answer the words. */
  matches: TextMatch[];
  /** The scenes of a video. */
  chunks: readonly Chunk[];
  /** The texts that the user asked to be shown where they are, and how often. */
  asked: { texts: FoundText[]; count: number };
  show: (text: FoundText) => void;
  /** The comment that is looked at, and the place of a new one. */
  review: ReviewState;
};

const noChunks: readonly Chunk[] = [];

/** @param item undefined until it is loaded */
export function useItemState(id: string, item: MediaItem | undefined): ItemState {
  const player = useRef<PlayerHandle>(null);
  // oxlint-disable-next-line react/exhaustive-deps -- each item has a clock of its own
  const clock = useMemo(createClock, [id]);
  const [query, setQuery] = useItemQuery();
  const isComplete = item?.status === 'complete';
  const hits = useItemHits(id, isComplete ? query : { ...query, q: '' });
  const chunks = useQuery({ ...chunksOptions(id), enabled: isComplete && item.type === 'video' }).data ?? noChunks;
  const review = useReview(id, () => {
    storeText('viewer-drawer', 'open');
    storeText('viewer-tab', 'comments');
  });
  const [asked, setAsked] = useState<ItemState['asked'] & { id: string }>({ id, texts: [], count: 0 });
  return {
    player,
    clock,
    query,
    setQuery,
    hits,
    matches: [...hits.shown, ...hits.weak].flatMap(({ signals }) => signals.matches ?? []),
    chunks,
    review,
    asked: asked.id === id ? asked : { texts: [], count: 0 },
    show: (text) => setAsked((before) => ({ id, texts: [text], count: before.id === id ? before.count + 1 : 1 })),
  };
}
