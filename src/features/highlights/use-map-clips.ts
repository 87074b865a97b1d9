import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { MapPoint, SearchHit } from '../../api/generated/api/index.ts';
import { clipsOptions } from '../../api/queries.ts';

/** What points of a map show, as hits; at most 100. */
export function useMapClips(points: readonly MapPoint[]): SearchHit[] {
  const ids = points.map(({ chunk_id: id }) => id);
  const clips = useQuery({ ...clipsOptions(ids), placeholderData: keepPreviousData }).data ?? [];
  const scores = new Map(points.map(({ chunk_id: id, score }) => [id, score]));
  return clips.flatMap((clip): SearchHit[] => {
    const score = scores.get(clip.chunk_id);
    // While the next ones load, those of before that are no longer asked for are no answer.
    return score === undefined ? [] : [{ ...clip, score, signals: {}, weak: false }];
  });
}
