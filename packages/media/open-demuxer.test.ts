import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { Demuxer } from 'node-av/api';
import { expect, test } from 'vitest';
import { openWithFormat, openDemuxer } from './open-demuxer.ts';
import { makeVideo, plain } from './samples/draw-media.ts';
import { makePolyglots } from './testing/polyglots.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

test('even a demuxer that reads playlists can open nothing but its file', async () => {
  await using folder = await temporaryFolder();
  await makeVideo(folder.file('secret.mp4'), { scenes: [{ paint: plain(200, 20, 20), seconds: 1 }] });
  for (const [format, kind, target] of [
    ['dash', 'DASH', pathToFileURL(folder.file('secret.mp4')).href],
    ['concat', 'concat', 'secret.mp4'],
  ] as const) {
    const file = folder.file(format);
    await writeFile(file, makePolyglots(target).find(({ name }) => name === kind)?.bytes ?? '');
    // FFmpeg would open it.
    await using opened = await Demuxer.open(file);
    expect(opened.streams).toHaveLength(1);
    await expect(openWithFormat(format, file)).rejects.toThrow(/Failed to open/);
    await expect(openDemuxer(file)).rejects.toThrow('No demuxer is allowed');
  }
});
