import { Readable } from 'node:stream';
import type { Asset, AssetStatus, AssetStore, Transfer } from '../assets/asset-store.ts';
import type { SourceRow } from '../catalog/sources/sources.ts';
import { hasErrorCode } from '../errors/system-errors.ts';
import { checkRoot, describeRoot } from './describe-root.ts';
import { openInRoot, type Root } from './open-in-root.ts';
import { closeInTurn, inTurn } from './read-in-turn.ts';
import {
  describeProblem,
  isAway,
  isForbidden,
  originalGoneError,
  originalUnreadableError,
  SourceError,
  sourceOfflineError,
} from './source-error.ts';
import type { RootIdentity } from './source-process-messages.ts';

/** Bytes that are read at once of an original that is sent. */
const pieceBytes = 256 * 1024;

type InSource = Asset & { kind: 'in source' };
type Range = { start: number; end: number };
export type Place = Pick<SourceRow, 'name' | 'kind' | 'location' | 'root' | 'problem_code' | 'problem_message'>;

/** What reads originals in sources of one kind. */
export type Originals = {
  stat(place: Place, asset: InSource): Promise<AssetStatus | null>;
  read(place: Place, asset: InSource, range?: Range): AsyncIterable<Uint8Array>;
  withLocalCopy<Result>(
    place: Place,
    asset: InSource,
    work: (file: string) => Promise<Result>,
    transfer?: Transfer,
  ): Promise<Result>;
};

type Parts = {
  dataDirectory: string;
  findSource: (workspaceId: string, id: string) => Promise<Place | undefined>;
  /** Reads buckets, or has another process do it: then local copies are all that there is. */
  buckets: Pick<Originals, 'withLocalCopy'> & Partial<Originals>;
};

/** The reading part of a store of assets that knows originals in sources too. Those are read where they lie, and never written. */
export function withSources<Store extends Pick<AssetStore, 'withLocalCopy'> & Partial<AssetStore>>(
  store: Store,
  parts: Parts,
): Store {
  const folders = createFolderOriginals(parts.dataDirectory);

  async function inSource<Result>(
    { owner, source }: InSource,
    read: (originals: Parts['buckets'], place: Place) => Promise<Result>,
  ): Promise<Result> {
    const place = await parts.findSource(owner.workspace_id, source);
    if (!place) throw sourceOfflineError('of this item', 'It was removed.');
    if (place.problem_code === 'not_allowed') throw sourceOfflineError(place.name, place.problem_message ?? '');
    return read(place.kind === 'folder' ? folders : parts.buckets, place);
  }

  return {
    ...store,
    withLocalCopy: (asset, work, transfer) =>
      asset.kind === 'in source'
        ? inSource(asset, (originals, place) => originals.withLocalCopy(place, asset, work, transfer))
        : store.withLocalCopy(asset, work, transfer),
    stat: (asset: Asset) =>
      asset.kind === 'in source'
        ? inSource(asset, async (originals, place) => originals.stat?.(place, asset) ?? null)
        : store.stat?.(asset),
    read: (asset: Asset, range?: Range) =>
      asset.kind === 'in source'
        ? Readable.from(
            (async function* () {
              yield* await inSource(asset, (originals, place) =>
                Promise.resolve(originals.read?.(place, asset, range) ?? []),
              );
            })(),
          )
        : store.read?.(asset, range),
    link: async (asset: Asset, headers: Parameters<AssetStore['link']>[1]) =>
      asset.kind === 'in source' ? null : store.link?.(asset, headers),
  };
}

/** Whether an error says that a file is not there, or is none to be opened. */
const saysGone = (error: unknown): boolean =>
  hasErrorCode(error, 'ENOENT') ||
  hasErrorCode(error, 'ENOTDIR') ||
  hasErrorCode(error, 'ELOOP') ||
  (error instanceof SourceError && error.code !== 'hangs');

function createFolderOriginals(dataDirectory: string): Originals {
  const open = (place: Place, path: string) =>
    inTurn(
      place.location,
      () => openInRoot({ path: place.location, dataDirectory } satisfies Root, path),
      ({ handle }) => closeInTurn(place.location, handle),
    ).catch(async (error: unknown) => {
      if (!saysGone(error) && !isForbidden(error) && !isAway(error))
        throw sourceOfflineError(place.name, describeProblem(error).message);
      // The file alone is gone, or not to be read, where its source is as it was.
      await inTurn(place.location, async () => {
        const before = place.root === null ? null : (JSON.parse(place.root) as RootIdentity);
        checkRoot(place.location, before, await describeRoot(place.location));
      }).catch((reason: unknown) => {
        throw sourceOfflineError(place.name, describeProblem(reason).message);
      });
      throw saysGone(error)
        ? originalGoneError(place.name, { cause: error })
        : originalUnreadableError(place.name, error as Error);
    });
  return {
    async stat(place, { path }) {
      const { handle, status } = await open(place, path);
      closeInTurn(place.location, handle);
      return { bytes: Number(status.size), modifiedAt: status.mtime };
    },

    async *read(place, { path }, range) {
      const { handle, status } = await open(place, path);
      try {
        const end = range ? range.end + 1 : Number(status.size);
        for (let at = range?.start ?? 0; at < end;) {
          const piece = Buffer.allocUnsafe(Math.min(pieceBytes, end - at));
          const start = at;
          const { bytesRead } = await inTurn(place.location, () => handle.read(piece, 0, piece.length, start));
          if (bytesRead === 0) return;
          at += bytesRead;
          yield piece.subarray(0, bytesRead);
        }
      } finally {
        closeInTurn(place.location, handle);
      }
    },

    async withLocalCopy(place, { path }, work) {
      const { handle, file } = await open(place, path);
      try {
        return await work(file);
      } finally {
        closeInTurn(place.location, handle);
      }
    },
  };
}
