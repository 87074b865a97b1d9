import { expect, test } from 'vitest';
import { isVideo } from './is-video.ts';

test('a video is known by its type, or by its name where the browser knows none', () => {
  expect(isVideo({ name: 'a', type: 'video/mp4' })).toBe(true);
  expect(isVideo({ name: 'CLIP.MTS', type: '' })).toBe(true);
  expect(isVideo({ name: 'a.mkv', type: 'application/octet-stream' })).toBe(true);
  expect(isVideo({ name: 'a.mov.jpg', type: 'image/jpeg' })).toBe(false);
  // A name does not outweigh a type.
  expect(isVideo({ name: 'a.mov', type: 'image/png' })).toBe(false);
  expect(isVideo({ name: 'a.dng', type: '' })).toBe(false);
});
