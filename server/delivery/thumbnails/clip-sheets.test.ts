import { Readable } from 'node:stream';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import type { Asset, AssetStore } from '../../assets/asset-store.ts';
import { createClipSheets } from './clip-sheets.ts';

test('a workspace that asks for many sheets holds up no other, and nobody gets those of another', async () => {
  const picture = (background: string) =>
    sharp({ create: { width: 64, height: 64, channels: 3, background } })
      .webp()
      .toBuffer();
  const pictures: Record<string, Buffer> = { greedy: await picture('red'), modest: await picture('blue') };
  const assets = {
    read: ({ owner }: Asset) => Readable.from([pictures[owner.workspace_id]]),
  } as unknown as AssetStore;
  const sheets = createClipSheets(assets);
  const ended: string[] = [];
  const ask = async (workspace_id: string, id: string) => {
    const chunk = { id, workspace_id, media_id: 'item', renditions_token: 1, files: ['thumbnail.webp'] };
    const { data } = await sheets.read(workspace_id, [chunk, undefined]);
    ended.push(workspace_id);
    return sharp(data).removeAlpha().stats();
  };
  const greedy = Array.from({ length: 12 }, (_, i) => ask('greedy', `chunk ${i}`));
  const { channels } = await ask('modest', 'own chunk');
  // In the order of asking it would be the last of thirteen.
  expect(ended.length).toBeLessThan(9);
  expect([channels[0]?.mean ?? 0, channels[2]?.mean ?? 0].map((mean) => mean > 60)).toEqual([false, true]);
  await Promise.all(greedy);
});
