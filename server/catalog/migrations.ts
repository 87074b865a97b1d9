import type { Migration } from 'kysely/migration';
import { baseline } from './baseline/baseline.ts';
import type { Dialect } from './dialect/differences.ts';
import { trafficLimits } from './migrations/0038-traffic-limits.ts';
import { textOrders } from './migrations/0039-text-orders.ts';
import { accessMakers } from './migrations/0040-access-makers.ts';
import { foldTextsAgain } from './migrations/0041-fold-texts-again.ts';
import { retiredJobs } from './migrations/0042-retired-jobs.ts';
import { oneLease } from './migrations/0043-one-lease.ts';
import { rating } from './migrations/0044-rating.ts';
import { savedParameters } from './migrations/0045-saved-parameters.ts';
import { changes } from './migrations/0047-changes.ts';
import { comments } from './migrations/0048-comments.ts';
import { shares } from './migrations/0049-shares.ts';
import { sharedIndexes } from './migrations/0051-shared-indexes.ts';
import { storeInline } from './migrations/0054-stored-inline.ts';
import { derivedTexts } from './migrations/0055-derived-texts.ts';
import { gatheredNotices } from './migrations/0056-gathered-notices.ts';
import { passages } from './migrations/0057-passages.ts';
import { seenThings } from './migrations/0058-seen-things.ts';
import { sources } from './migrations/0059-sources.ts';
import { camera } from './migrations/0060-camera.ts';
import { stacks } from './migrations/0061-stacks.ts';
import { reuse } from './migrations/0062-reuse.ts';
import { fingerprintVersion } from './migrations/0063-fingerprint-version.ts';

/** A change of the schema in each dialect. It must be of use beside processes of the version before, which may still run. */
type Step = Record<Dialect['name'], Migration>;

const nothing: Migration = { up: () => Promise.resolve() };

/** In a database that was made before version 0.2.0, the baseline is noted in place of the 37 steps that led to the same schema. */
export const baselineName = '0037-baseline';

/** The last of those steps. */
export const lastBeforeBaseline = '0037-upload-makers';

/**
 * The oldest change that a process must know to use the schema: processes of versions that have it go on beside this one. A change that takes
 * something away raises it to the last change of the version that used it no longer.
 */
export const leastChange = '0056-gathered-notices';

/** The changes of the schema, oldest first. */
const steps: Record<string, Step> = {
  [baselineName]: baseline,
  '0038-traffic-limits': trafficLimits,
  '0039-text-orders': textOrders,
  '0040-access-makers': accessMakers,
  '0041-fold-texts-again': { sqlite: nothing, postgres: foldTextsAgain },
  '0042-retired-jobs': { sqlite: retiredJobs, postgres: retiredJobs },
  '0043-one-lease': oneLease,
  '0044-rating': rating,
  '0045-saved-parameters': { sqlite: savedParameters, postgres: savedParameters },
  '0047-changes': changes,
  '0048-comments': comments,
  '0049-shares': shares,
  // File names are split otherwise than when it ran before.
  '0050-split-names-again': { sqlite: nothing, postgres: foldTextsAgain },
  // With a file there is one process, which reads the names of labels for each search.
  '0051-shared-indexes': { sqlite: nothing, postgres: sharedIndexes },
  '0054-stored-inline': { sqlite: nothing, postgres: storeInline },
  '0055-derived-texts': { sqlite: nothing, postgres: derivedTexts },
  '0056-gathered-notices': { sqlite: nothing, postgres: gatheredNotices },
  '0057-passages': passages,
  '0058-seen-things': seenThings,
  '0059-sources': sources,
  '0060-camera': camera,
  '0061-stacks': stacks,
  '0062-reuse': reuse,
  '0063-fingerprint-version': fingerprintVersion,
};

export const migrationsOf = (dialect: Dialect['name']): Record<string, Migration> =>
  Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, step[dialect]]));
