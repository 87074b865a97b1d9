import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import { formatTime } from '../../shared/format.ts';
import { ApiError, createExport, deleteExport, isNotSupported, type SearchHit } from '../../typescript/index.ts';
import type { Connection, Context } from '../context.ts';
import { describeFailure, PartialFailure } from '../failures.ts';
import { toSafeName } from '../files/safe-name.ts';
import { createProgress } from '../output/progress.ts';
import { saveFile } from './save-file.ts';

/** The service cuts four of a workspace at once; others want some of them. */
const concurrency = 2;

/**
 * Cuts each hit as a clip of its own, an image as it is, into a folder that is made where there is none.
 * @throws PartialFailure when some could not be cut; each is named
 */
export async function exportClips(
  hits: SearchHit[],
  options: { folder: string; force: boolean },
  connection: Connection,
  context: Context,
): Promise<void> {
  const { output, signal } = context;
  await mkdir(options.folder, { recursive: true });
  const progress = await createProgress(output);
  let failed = false;
  try {
    await pMap(
      hits,
      async (hit) => {
        const name = hit.type === 'image' ? hit.filename : `${hit.filename}, ${formatTime(hit.start)}`;
        const bar = progress.add(name);
        try {
          progress.say(`Saved ${await exportClip(hit, options, connection, bar.update, signal)}`);
        } catch (failure) {
          if (signal.aborted) throw failure;
          failed = true;
          progress.say(`${name}: ${describe(failure)}`, 'red');
        } finally {
          bar.remove();
        }
      },
      { concurrency },
    );
  } finally {
    progress.stop();
  }
  if (failed) throw new PartialFailure();
}

const describe = (failure: unknown): string =>
  failure instanceof ApiError && isNotSupported(failure) && failure.code !== 'not_found'
    ? 'This service cuts no clips.'
    : describeFailure(failure);

async function exportClip(
  hit: SearchHit,
  { folder, force }: { folder: string; force: boolean },
  connection: Connection,
  onProgress: (saved: number, total: number | null) => void,
  signal: AbortSignal,
): Promise<string> {
  const body = { format: hit.type === 'image' ? ('jpeg' as const) : ('mp4' as const), moments: [momentOf(hit)] };
  const place = (filename: string) => path.join(folder, toSafeName(filename));
  return saveExport(body, place, { force, signal, onProgress }, connection);
}

/** The moment of a hit, as exports take it; an image is taken whole. */
export const momentOf = ({ type, id, start, end }: SearchHit): NonNullable<ExportBody['moments']>[number] =>
  type === 'image' ? { media_id: id } : { media_id: id, start, end };

type ExportBody = Parameters<typeof createExport>[0]['body'];

/**
 * Has the service make a file, and saves it.
 * @param place where, by the name that the service gives it
 * @returns its path
 * @throws CommandError, or the failure of the service; nothing is left of it
 */
export async function saveExport(
  body: ExportBody,
  place: (filename: string) => string,
  {
    force,
    signal,
    onProgress = () => {},
  }: { force: boolean; signal: AbortSignal; onProgress?: (saved: number, total: number | null) => void },
  { client }: Connection,
): Promise<string> {
  const { data } = await createExport({ client, body, signal });
  const target = place(data.filename);
  const part = `${target}.${data.id.slice(-8)}.part`;
  try {
    await saveFile({
      address: async () => data.url,
      target,
      part,
      sha256: undefined,
      force,
      signal,
      onProgress,
    });
  } catch (failure) {
    // Another command asks for another export, so nothing goes on with this one.
    await rm(part, { force: true });
    await deleteExport({ client, path: { id: data.id } }).catch(() => {});
    throw failure;
  }
  return target;
}
