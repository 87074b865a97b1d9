import type { Recording } from '@media-search/media/file-tags';
import { describePosition } from '@media-search/places/nearest-place';

/** A recording with the name of its place: as its file has it, otherwise that of the nearest place to its position. */
export function namePlace(recording: Recording): Recording {
  const { latitude, longitude, place } = recording;
  if (place !== null || latitude === null || longitude === null) return recording;
  return { ...recording, place: describePosition(latitude, longitude) };
}
