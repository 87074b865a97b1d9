import { expect, test } from 'vitest';
import { playedAsset } from '../sources/show-source.ts';
import { glance, playback } from './asset-store.ts';

const owner = { workspace_id: 'w', id: 'i', source_id: 's', source_path: 'a.mp4', renditions_token: 1 };

test.each([
  ['nothing was made', null, false, 'in source', 'in source'],
  ['nothing was made, away', null, true, 'in source', 'in source'],
  ['a preview, there', 'preview.mp4', false, 'in source', 'rendition'],
  ['a preview, away', 'preview.mp4', true, 'rendition', 'rendition'],
  ['the original does not play', 'playback.mp4', false, 'rendition', 'rendition'],
])('%s', (_, rendition_file, isOffline, played, looked) => {
  const row = { ...owner, rendition_file };
  expect(playback(row, isOffline).kind).toBe(played);
  expect(glance(row).kind).toBe(looked);
  // The item itself has the same address.
  expect(playedAsset({ rendition_file, poster_file: null }, isOffline) === rendition_file).toBe(played === 'rendition');
});
