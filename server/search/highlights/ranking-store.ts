import { stat } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';
import type { Ranking } from '@media-search/search-engine/highlights/outliers';
import type { OutlierMethod } from '../../../contract/highlights.ts';
import { dialectOf } from '../../catalog/dialect/dialect.ts';
import type { VectorVersion } from '../../catalog/media/chunk-vectors.ts';
import {
  aloneInService,
  readRankingBytes,
  readRankingStamp,
  writeRankingBytes,
} from '../../catalog/postgres/ranking-parts.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { readCacheFile, writeCacheFile } from './cache-file.ts';

/** The rankings of all chunks of a workspace by each method. */
export type Rankings = Record<OutlierMethod, Ranking> & {
  /** Version of the vectors from which they were computed. */
  version: VectorVersion;
  /** ISO 8601. */
  computedAt: string;
};

/** Whether rankings of one version are those of another. */
export const isSameVersion = (a: VectorVersion, b: VectorVersion): boolean =>
  a.latest === b.latest && a.count === b.count && a.moves === b.moves;

/** Whose rankings, and the file for what only the process that computes them needs. */
export type RankingPlace = { workspaceId: string; embedderId: string; file: string };

/** Where the rankings of large workspaces are kept. */
export type RankingStore = {
  /** Differs from that of all rankings before; null: there are none. */
  readStamp(place: RankingPlace): Promise<string | null>;
  /** Null when there are none that can be read. */
  read(place: RankingPlace): Promise<Rankings | null>;
  write(place: RankingPlace, rankings: Rankings): Promise<void>;
  /** Runs work that computes them; where several processes would, one after the other. */
  alone(place: RankingPlace, work: () => Promise<void>): Promise<void>;
};

/** The store beside a catalog: files where that is one, rows where processes share it. */
export const rankingStoreOf = (db: Catalog): RankingStore =>
  dialectOf(db).name === 'postgres' ? createRowStore(db) : createFileStore(db);

const createFileStore = (db: Catalog): RankingStore => ({
  async readStamp({ file }) {
    const found = await stat(file, { bigint: true }).catch(() => null);
    return found && `${found.ino} ${found.mtimeNs} ${found.size}`;
  },
  read: ({ file }) => readCacheFile<Rankings>(db, file),
  write: ({ file }, rankings) => writeCacheFile(db, file, rankings),
  alone: (_place, work) => work(),
});

const createRowStore = (db: Catalog): RankingStore => ({
  readStamp: (place) => readRankingStamp(db, place),
  async read(place) {
    const bytes = await readRankingBytes(db, place);
    return bytes && (deserialize(bytes) as Rankings);
  },
  write: (place, rankings) => writeRankingBytes(db, place, serialize(rankings)),
  alone: (place, work) => aloneInService(db, place, work),
});
