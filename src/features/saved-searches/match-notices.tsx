import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useNavigate } from 'react-router';
import type { ServiceEvent } from '../../api/event-stream.ts';
import { savedSearchesOptions } from '../../api/saved-searches.ts';
import { eventStream } from '../../api/service-events.ts';
import { paths } from '../../paths.ts';
import { toast } from '../../ui/toast.ts';

type SavedMatch = Extract<ServiceEvent, { type: 'search.saved_match' }>['data'];

/** How long a notice stays, in milliseconds. */
const shownMs = 10_000;

/** Tells of new matches of saved searches as they are found: one notice for each, which counts while it is shown. */
export function MatchNotices() {
  const client = useQueryClient();
  const navigate = useNavigate();
  /** The number of matches that each shown notice reports. */
  const told = useRef(new Map<string, number>());

  const findPath = (match: SavedMatch, count: number): string => {
    const { saved_search: saved, media, hits } = match;
    const [first] = hits;
    if (count === 1) return paths.media(media.id, media.type !== 'image' && first ? { t: first.start } : {});
    const view = client.getQueryData(savedSearchesOptions.queryKey)?.find(({ id }) => id === saved.id);
    return view ? paths.saved(view) : paths.savedSearches;
  };

  const tell = (match: SavedMatch, count: number) => {
    const { saved_search: saved, media } = match;
    const all = (told.current.get(saved.id) ?? 0) + count;
    told.current.set(saved.id, all);
    const forget = () => void told.current.delete(saved.id);
    const path = findPath(match, all);
    toast.success(
      all === 1 ? `New match for “${saved.name}”: ${media.filename}` : `${all} new matches for “${saved.name}”`,
      {
        id: `match ${saved.id}`,
        duration: shownMs,
        action: { label: 'Show', onClick: () => void navigate(path) },
        onAutoClose: forget,
        onDismiss: forget,
      },
    );
  };

  const take = useEffectEvent((events: ServiceEvent[], gap: boolean) => {
    const matches = events.flatMap(({ type, data }) => (type === 'search.saved_match' ? [data] : []));
    if (matches.length === 0 && !gap) return;
    void client.invalidateQueries({ queryKey: savedSearchesOptions.queryKey });
    for (const of of Map.groupBy(matches, ({ saved_search: { id } }) => id).values()) {
      const last = of.at(-1);
      if (last) tell(last, of.length);
    }
  });
  useEffect(() => eventStream.subscribe({ onLive: () => undefined, onEvents: (...told) => take(...told) }), []);
  return null;
}
