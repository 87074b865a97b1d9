import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import { ifSupported } from '../../../shared/if-supported.ts';
import { ApiError, checkMedia } from '../../../typescript/index.ts';
import { describeFailure, endsAll } from '../../failures.ts';
import { type Imported, type Journal, openJournal } from '../journal.ts';
import { giveLabel, type Label } from '../labels.ts';
import { TimeLeft } from '../time-left.ts';
import { describeItem, findUnsaid, readItem, type Said } from './describe-item.ts';
import { findLabels } from './labels-of-assets.ts';
import type { Asset, Library } from './library.ts';
import { findInPlace, type Stored, storeAsset, type Storing } from './store-asset.ts';

/** What became of an asset in this run. */
export type Result = {
  asset_id: string;
  file: string;
  /** `new`: it would be copied (`--dry-run`). */
  result: Stored['result'] | 'new';
  media_id: string | null;
  /** A sentence. */
  error: string | null;
};

export type ImportOptions = Omit<Storing, 'downloads'> & {
  /** The folder for what is remembered of the workspace. */
  folder: string;
  /** Imports also what was imported once and is not here any more, and what the service refused. */
  again: boolean;
  /** Finds out what would be imported, and changes nothing. */
  dryRun: boolean;
  /** Assets that are stored at once. */
  concurrency: number;
  onResult: (result: Result) => void;
  /** Is told of what went wrong with something other than an asset. */
  onProblem: (message: string) => void;
  /** Is told how far it is after each asset. */
  onProgress: (left: TimeLeft) => void;
};

/** What was done beside storing originals. */
export type Summary = {
  /** Imported by an earlier run. */
  earlier: number;
  /** Imported by an earlier run, and not here any more. */
  gone: number;
  /** Bytes that are to be copied, as Immich knows them; with `dryRun`. */
  bytes: number;
  /** Labels that something got, by their tokens. */
  collections: Set<string>;
  tags: Set<string>;
  said: Record<Said, number>;
  problems: number;
};

/** So many assets are stored before they get their labels, so that little is missing where a run is ended. */
const groupSize = 200;
/** Checksums that are asked for at once. */
const maxChecksums = 1000;

/**
 * Makes the assets of a library items, and gives them what Immich knows of them. What an earlier run did is not done again.
 * @throws ApiError or the failure of the disk for what fails for all assets, and the signal's reason
 */
export async function importLibrary(library: Library, options: ImportOptions): Promise<Summary> {
  const name = `immich-${createHash('sha256').update(`${options.server.url} ${library.owner.id}`).digest('hex').slice(0, 16)}`;
  const downloads = path.join(options.folder, `${name}-downloads`);
  const importing: Importing = {
    ...options,
    downloads,
    journal: openJournal(options.folder, name),
    labels: findLabels(library),
    failed: new Set(),
    summary: {
      earlier: 0,
      gone: 0,
      bytes: 0,
      collections: new Set(),
      tags: new Set(),
      said: { rating: 0, date: 0, description: 0 },
      problems: 0,
    },
  };
  const plan = await makePlan(library.assets, importing);
  // What an earlier run did takes no time, and would make the rest look short.
  const open = plan.filter(({ before }) => before === null);
  const left = new TimeLeft({ files: open.length, bytes: open.reduce((sum, { asset }) => sum + (asset.size ?? 0), 0) });
  if (options.dryRun) await describePlan(plan, importing);
  else {
    await mkdir(downloads, { recursive: true, mode: 0o700 });
    for (let from = 0; from < plan.length; from += groupSize)
      await importGroup(plan.slice(from, from + groupSize), importing, left);
    // A file that broke off is gone on with in the next run.
    if (importing.summary.problems === 0) await rm(downloads, { recursive: true, force: true });
  }
  return importing.summary;
}

type Importing = ImportOptions &
  Storing & {
    journal: Journal;
    labels: Map<string, Label[]>;
    /** Labels that could not be made or given, by their tokens: each is said once. */
    failed: Set<string>;
    summary: Summary;
  };

/** An asset, and what an earlier run made of it; null: nothing that still counts. */
type Planned = { asset: Asset; before: Imported | null };

/** What is to be looked at: all but what an earlier run imported and is not here any more. */
async function makePlan(assets: Asset[], importing: Importing): Promise<Planned[]> {
  const { journal, again, summary } = importing;
  const all = assets.map((asset) => {
    const before = journal.asset(asset.id);
    return { asset, before: before?.version === asset.version ? before : null };
  });
  const missing = await findMissing(
    all.flatMap(({ before }) => before ?? []),
    importing,
  );
  return all.flatMap(({ asset, before }) => {
    if (before !== null && missing.has(before)) {
      if (again) return [{ asset, before: null }];
      summary.gone++;
      return [];
    }
    return [{ asset, before: again && before?.mediaId === null ? null : before }];
  });
}

/** Those whose items are gone, by the checksums that were known of them. */
async function findMissing(
  imported: Imported[],
  { connection: { client }, signal }: Importing,
): Promise<Set<Imported>> {
  const known = imported.filter(({ mediaId, sha256 }) => mediaId !== null && sha256 !== null);
  const missing = new Set<Imported>();
  for (let from = 0; from < known.length; from += maxChecksums) {
    const some = known.slice(from, from + maxChecksums);
    const sha256 = [...new Set(some.map((each) => each.sha256 ?? ''))];
    const { data } = await ifSupported(checkMedia({ client, body: { sha256 }, signal }), { data: [] });
    const gone = new Set(data.flatMap((each) => (each.media_id === null ? [each.sha256] : [])));
    for (const each of some) if (gone.has(each.sha256 ?? '')) missing.add(each);
  }
  return missing;
}

const toResult = ({ id, name }: Asset, result: Result['result'], more: Partial<Result> = {}): Result => ({
  asset_id: id,
  file: name,
  result,
  media_id: null,
  error: null,
  ...more,
});

/** Says what would become of each asset. */
async function describePlan(plan: Planned[], importing: Importing): Promise<void> {
  const { summary, labels, onResult, concurrency, signal } = importing;
  const describe = async ({ asset, before }: Planned) => {
    for (const label of labels.get(asset.id) ?? []) if (!before?.done.includes(label.token)) noteLabel(label, summary);
    for (const each of findUnsaid(asset, before?.done ?? [])) summary.said[each]++;
    if (before?.mediaId === null) return onResult(toResult(asset, 'failed', { error: before.refused ?? '' }));
    if (before !== null) return void summary.earlier++;
    const found = await findInPlace(asset, importing);
    if (found === null) summary.bytes += asset.size ?? 0;
    if (found === null) onResult(toResult(asset, 'new'));
    else if (found.kind === 'item') onResult(toResult(asset, 'referenced', { media_id: found.mediaId }));
    else onResult(toResult(asset, 'waiting'));
  };
  await pMap(plan, describe, { concurrency, signal });
}

const noteLabel = ({ kind, token }: Label, { collections, tags }: Summary) =>
  (kind === 'collection' ? collections : tags).add(token);

/** An asset with its item. */
type Here = { asset: Asset; imported: Imported & { mediaId: string }; isNew: boolean };

async function importGroup(group: Planned[], importing: Importing, left: TimeLeft): Promise<void> {
  const { concurrency, signal, onProgress } = importing;
  // What goes wrong for all ends what is under way.
  const stop = new AbortController();
  const running = { ...importing, signal: AbortSignal.any([signal, stop.signal]) };
  const pMapOptions = { concurrency, signal: running.signal };
  try {
    const stored = await pMap(
      group,
      async (planned) => {
        const here = await importAsset(planned, running);
        if (planned.before === null) {
          left.add(planned.asset.size ?? 0);
          onProgress(left);
        }
        return here;
      },
      pMapOptions,
    );
    const here = stored.filter((each) => each !== null);
    const done = new Map(here.map((each) => [each, new Set(each.imported.done)]));
    await giveLabels(here, done, running);
    await pMap(here, (each) => describe(each, done.get(each) ?? new Set(), running), pMapOptions);
  } catch (failure) {
    stop.abort();
    signal.throwIfAborted();
    throw failure;
  }
}

/** @returns null for an asset that is no item now */
async function importAsset({ asset, before }: Planned, importing: Importing): Promise<Here | null> {
  const { journal, onResult, summary } = importing;
  if (before !== null && before.mediaId !== null) {
    summary.earlier++;
    return { asset, imported: { ...before, mediaId: before.mediaId }, isNew: false };
  }
  const stored: Stored =
    before === null
      ? await storeAsset(asset, importing)
      : { result: 'failed', error: before.refused ?? '', refused: true };
  const noted = { version: asset.version, sha256: null, done: [] };
  if (stored.result === 'failed') {
    summary.problems++;
    if (stored.refused) journal.noteAsset(asset.id, { ...noted, mediaId: null, refused: stored.error });
    onResult(toResult(asset, 'failed', { error: stored.error }));
    return null;
  }
  if (stored.result === 'waiting') {
    onResult(toResult(asset, 'waiting'));
    return null;
  }
  const imported = { ...noted, mediaId: stored.mediaId, sha256: stored.sha256 };
  journal.noteAsset(asset.id, imported);
  onResult(toResult(asset, stored.result, { media_id: stored.mediaId }));
  return { asset, imported, isNew: true };
}

/** Gives items the labels that they were not given before. */
async function giveLabels(here: Here[], done: Map<Here, Set<string>>, importing: Importing): Promise<void> {
  const { labels, failed, journal, connection, signal, summary, onProblem } = importing;
  const wanted = new Map<string, { label: Label; items: Here[] }>();
  for (const each of here)
    for (const label of labels.get(each.asset.id) ?? []) {
      if (done.get(each)?.has(label.token) || failed.has(label.token)) continue;
      const { items } = wanted.get(label.token) ?? { items: [] };
      wanted.set(label.token, { label, items: [...items, each] });
    }
  for (const { label, items } of wanted.values())
    try {
      const ids = [...new Set(items.map(({ imported }) => imported.mediaId))];
      await giveLabel(label, ids, connection.client, journal, signal);
      for (const each of items) done.get(each)?.add(label.token);
      noteLabel(label, summary);
    } catch (failure) {
      signal.throwIfAborted();
      // Room for labels is one thing, room for files another.
      const isFull = failure instanceof ApiError && failure.code === 'quota_exceeded';
      if (endsAll(failure) && !isFull) throw failure;
      failed.add(label.token);
      summary.problems++;
      onProblem(`The ${label.kind} “${label.name}”: ${describeFailure(failure, connection.account.url)}`);
    }
}

/** Gives an item what Immich says of it, and notes what it has now. */
async function describe({ asset, imported, isNew }: Here, done: Set<string>, importing: Importing): Promise<void> {
  const { connection, journal, signal, summary, onProblem } = importing;
  let { sha256 } = imported;
  const unsaid = findUnsaid(asset, imported.done);
  try {
    if (unsaid.length > 0 || (isNew && sha256 === null)) {
      const item = await readItem(imported.mediaId, connection.client, signal);
      sha256 ??= item.sha256 ?? null;
      for (const each of await describeItem(asset, unsaid, item, connection.client, signal)) summary.said[each]++;
      for (const each of unsaid) done.add(each);
    }
  } catch (failure) {
    signal.throwIfAborted();
    if (endsAll(failure)) throw failure;
    // It went to the trash: as what is gone it is left alone.
    if (failure instanceof ApiError && failure.status === 404) return void summary.gone++;
    summary.problems++;
    onProblem(`${asset.name}: ${describeFailure(failure, connection.account.url)}`);
  }
  const isSame = done.size === imported.done.length && sha256 === imported.sha256;
  if (!isSame) journal.noteAsset(asset.id, { ...imported, sha256, done: [...done] });
}
