import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Cue, parseVtt } from '../lib/captions/parse-vtt.ts';
import { type CaptionSource, nameTracks, preferredTrack, trackKeys } from '../lib/captions/track-names.ts';
import { useStoredText } from '../lib/stored-state.ts';
import {
  type CaptionTrack,
  getCaptions,
  getCaptionsOptions,
  listCaptionTracksOptions,
  listTexts,
  listTextsOptions,
  type MediaItem,
  type TextSegment,
} from './generated/api/index.ts';
import { maxPerPage, wholeListOptions } from './whole-list.ts';

const keptMs = 5 * 60_000;

const captionTracksOptions = (id: string) =>
  queryOptions({ ...listCaptionTracksOptions({ path: { id } }), select: ({ data }) => data, staleTime: keptMs });

type CaptionFormat = 'vtt' | 'srt';

const requestFor = (id: string, { source, track }: CaptionSource, format: CaptionFormat) => ({
  path: { id },
  query: { format, source, ...(track === null ? {} : { track }) },
});

/** The file of a track. */
export const readCaptions = (id: string, track: CaptionSource, format: CaptionFormat): Promise<string> =>
  getCaptions(requestFor(id, track, format));

/** The cues of a track, in order of time: one request, however long the video is. */
const cuesOptions = (id: string, track: CaptionSource | undefined) => {
  const request = requestFor(id, track ?? { source: 'speech', track: null, language: null }, 'vtt');
  return queryOptions({
    queryKey: [...getCaptionsOptions(request).queryKey, 'cues'],
    queryFn: async ({ signal }) => parseVtt(await getCaptions({ ...request, signal })),
    enabled: track !== undefined,
    staleTime: keptMs,
  });
};

/** The texts of an item that were read from one source, in order of time. */
export const textsOptions = (id: string, source: TextSegment['source']) =>
  queryOptions({
    ...wholeListOptions(listTextsOptions({ path: { id }, query: { source, per_page: maxPerPage } }), (page) =>
      listTexts({ path: { id }, ...page, query: { source, ...page.query } }),
    ),
    staleTime: keptMs,
  });

const noTracks: readonly CaptionTrack[] = [];
const noCues: readonly Cue[] = [];

/**
 * The captions of an item in the track that this browser prefers, or else the first.
 * @param wanted whether the cues are needed; without it only the tracks are asked for
 */
export function useCaptionTrack(id: string, wanted: boolean) {
  const [preferred, prefer] = useStoredText('caption-track');
  const tracks = useQuery(captionTracksOptions(id));
  const all = tracks.data ?? noTracks;
  const chosen = preferredTrack(all, preferred);
  const place = chosen ? all.indexOf(chosen) : -1;
  const cues = useQuery(cuesOptions(id, wanted ? chosen : undefined));
  return {
    tracks: all,
    chosen,
    /** All by name, and the place of the chosen one among them; -1 where there is none. */
    names: nameTracks(all),
    place,
    cues: cues.data ?? noCues,
    isPending: tracks.isPending || (chosen !== undefined && cues.isPending),
    error: tracks.error ?? cues.error,
    retry: () => void (tracks.error ? tracks.refetch() : cues.refetch()),
    choose: (at: number) => prefer(trackKeys(all)[at] ?? null),
  };
}

/** Reads the texts of an item again as more of them are recognised: a tenth of it at a time. */
export function useFreshTexts({ id, speech, ocr }: MediaItem): void {
  const client = useQueryClient();
  const state = [speech, ocr].map((reading) => `${reading.state} ${Math.floor((reading.progress ?? 0) * 10)}`).join();
  const known = useRef(state);
  useEffect(() => {
    if (known.current === state) return;
    known.current = state;
    for (const _id of ['listCaptionTracks', 'getCaptions', 'listTexts']) {
      void client.invalidateQueries({ queryKey: [{ _id, path: { id } }] });
    }
  }, [client, id, state]);
}
