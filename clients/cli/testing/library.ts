import { makePhoto, makeVideo, plain, square } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../../server/testing/running-service.ts';
import { type Ended, runCommand, type TestSurroundings } from './run-cli.ts';

/**
 * A service with a blue and sand-coloured video of two scenes and a red photo, a folder with both files, and a function that runs commands
 * against it.
 */
export async function startLibrary() {
  const service = await startTestService({ allowedAddresses: ['127.0.0.1'] });
  const folder = await temporaryFolder();
  const scenes = [plain(20, 30, 90), plain(200, 180, 120)].map((paint) => ({ paint, seconds: 2 }));
  await makeVideo(folder.file('harbour.mp4'), { scenes });
  await makePhoto(folder.file('photo.jpg'), square([210, 20, 30], [255, 255, 255]));
  const [video, photo] = [
    (await service.client.upload(folder.file('harbour.mp4'))).data.id,
    (await service.client.upload(folder.file('photo.jpg'))).data.id,
  ];
  await service.client.waitUntilIndexed(video);
  await service.client.waitUntilIndexed(photo);
  const env = { MEDIA_SEARCH_URL: service.url, MEDIA_SEARCH_KEY: service.key };
  const surroundings = { home: folder.path, env };
  return {
    ...service,
    files: folder,
    video,
    photo,
    surroundings,
    /** Runs a command with the key of the workspace. */
    run: (words: string[], more: Partial<TestSurroundings> = {}): Promise<Ended> =>
      runCommand(words, { ...surroundings, ...more, env: { ...env, ...more.env } }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
