import type { MediaItem } from '../../api/generated/api/index.ts';

/** A collected moment. `start` and `end`: seconds, both 0 for a photo. */
export type BasketMoment = {
  /** Its own: the same moment has another one when it is collected again. */
  key: string;
  mediaId: string;
  /** Null: not a scene that the service found, but a span that the user chose. */
  chunkId: string | null;
  type: MediaItem['type'];
  start: number;
  end: number;
  filename: string;
  /** The name that the user gave it; empty: the name of its file. */
  name: string;
};

/** What is stored; a later form has another number and reads this one. */
export type StoredBasket = { version: 1; moments: BasketMoment[] };

/** The moments that a text holds; none where it is not one that this version wrote. */
export function parseBasket(text: string | null): BasketMoment[] {
  try {
    const { version, moments } = JSON.parse(text ?? '{}') as Partial<StoredBasket>;
    return version === 1 && Array.isArray(moments) ? moments.filter(isMoment) : [];
  } catch {
    return [];
  }
}

function isMoment(value: unknown): value is BasketMoment {
  const { key, mediaId, start, end, filename, name } = (value ?? {}) as Partial<BasketMoment>;
  return (
    [key, mediaId, filename, name].every((each) => typeof each === 'string') &&
    [start, end].every((each) => Number.isFinite(each))
  );
}

export type NewMoment = Omit<BasketMoment, 'key' | 'name'>;

export const isSameMoment = (one: NewMoment, other: NewMoment): boolean =>
  one.mediaId === other.mediaId && one.start === other.start && one.end === other.end;

/** Moves an entry of a list to another place. */
export function moveTo<Entry>(list: readonly Entry[], from: number, to: number): Entry[] {
  const moved = [...list];
  const [entry] = moved.splice(from, 1);
  if (entry !== undefined) moved.splice(Math.max(0, Math.min(moved.length, to)), 0, entry);
  return moved;
}
