import { useQueries } from '@tanstack/react-query';
import { clipsOptions, itemsOptions } from '../../api/queries.ts';
import { maxPerPage } from '../../api/whole-list.ts';
import type { BasketMoment } from './basket-moments.ts';

const inPages = (ids: string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / maxPerPage) }, (_, i) => ids.slice(i * maxPerPage, (i + 1) * maxPerPage));

/** What shows the moments of a basket: their URLs expire, so they are not kept with them. And which items are gone. */
export function useBasketClips(moments: BasketMoment[]): {
  thumbnails: Map<string, string>;
  missing: Set<string>;
} {
  const mediaIds = [...new Set(moments.map(({ mediaId }) => mediaId))];
  const chunkIds = [...new Set(moments.flatMap(({ chunkId }) => chunkId ?? []))];
  const items = useQueries({ queries: inPages(mediaIds).map((ids) => itemsOptions(ids)) });
  const clips = useQueries({ queries: inPages(chunkIds).map((ids) => clipsOptions(ids)) });
  const found = new Map(items.flatMap(({ data = [] }) => data.map((item) => [item.id, item] as const)));
  const ofChunk = new Map(
    clips.flatMap(({ data = [] }) => data.map((clip) => [clip.chunk_id, clip.thumbnail] as const)),
  );
  const isKnown = items.every(({ isSuccess }) => isSuccess);
  return {
    thumbnails: new Map(
      moments.flatMap(({ key, chunkId, mediaId }) => {
        const url = ofChunk.get(chunkId ?? '') ?? found.get(mediaId)?.thumbnail;
        return url ? [[key, url] as const] : [];
      }),
    ),
    missing: new Set(isKnown ? mediaIds.filter((id) => !found.has(id)) : []),
  };
}
