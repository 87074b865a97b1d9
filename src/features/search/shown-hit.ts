import type { Clip, SearchHit } from '../../api/generated/api/index.ts';

/** A hit, or a clip that stands among hits although no search gave it a score, such as one that is similar to a hit. */
export type ShownHit = Clip & Partial<SearchHit>;

export const isScored = (hit: ShownHit): hit is SearchHit => hit.score !== undefined && hit.signals !== undefined;
