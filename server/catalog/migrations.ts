import type { Migration } from 'kysely/migration';
import type { Dialect } from './dialect/dialect.ts';
import { firstSchema } from './migrations/0001-first-schema.ts';
import { accountsCreatorsPlans } from './migrations/0002-accounts-creators-plans.ts';
import { placeholders } from './migrations/0003-placeholders.ts';
import { embedders } from './migrations/0004-embedders.ts';
import { blankChunks } from './migrations/0005-blank-chunks.ts';
import { vectorNumbers } from './migrations/0006-vector-numbers.ts';
import { fencingTokens } from './migrations/0007-fencing-tokens.ts';
import { timelines } from './migrations/0008-timelines.ts';
import { mediaWarnings } from './migrations/0009-media-warnings.ts';
import { chunkViews } from './migrations/0010-chunk-views.ts';
import { originalChecks } from './migrations/0011-original-checks.ts';
import { oneJobTable } from './migrations/0012-one-job-table.ts';
import { descriptors } from './migrations/0013-descriptors.ts';
import { mediaTotals } from './migrations/0014-media-totals.ts';
import { itemChanges } from './migrations/0015-item-changes.ts';
import { dropChunkTexts } from './migrations/0016-drop-chunk-texts.ts';
import { capture } from './migrations/0017-capture.ts';
import { collectionsAndTags } from './migrations/0018-collections-and-tags.ts';
import { trash } from './migrations/0019-trash.ts';
import { shares } from './migrations/0020-shares.ts';
import { savedSearches } from './migrations/0021-saved-searches.ts';
import { apiKeyNames } from './migrations/0022-api-key-names.ts';
import { textSegments } from './migrations/0023-text-segments.ts';
import { jobTurns } from './migrations/0024-job-turns.ts';
import { readAgain } from './migrations/0025-read-again.ts';
import { textsInTurn } from './migrations/0026-texts-in-turn.ts';
import { draftModel } from './migrations/0027-draft-model.ts';
import { oneCatalog } from './migrations/0028-one-catalog.ts';
import { sharedState } from './migrations/0029-shared-state.ts';
import { textIndex } from './migrations/0030-text-index.ts';
import { notify } from './migrations/0031-notify.ts';
import { rankings } from './migrations/0032-rankings.ts';
import { events } from './migrations/0033-events.ts';
import { savedMatches } from './migrations/0034-saved-matches.ts';
import { uploads } from './migrations/0035-uploads.ts';
import { webhooks } from './migrations/0036-webhooks.ts';
import { uploadMakers } from './migrations/0037-upload-makers.ts';
import { trafficLimits } from './migrations/0038-traffic-limits.ts';
import { textOrders } from './migrations/0039-text-orders.ts';
import { accessMakers } from './migrations/0040-access-makers.ts';
import { foldTextsAgain } from './migrations/0041-fold-texts-again.ts';
import { rating } from './migrations/0042-rating.ts';
import { oneLease } from './migrations/0043-one-lease.ts';
import { savedParameters } from './migrations/0044-saved-parameters.ts';

/** A change of the schema in each dialect. It must be of use beside processes of the version before, which may still run. */
type Step = Record<Dialect['name'], Migration>;

const nothing: Migration = { up: () => Promise.resolve() };

/** A step from before there was PostgreSQL, whose schema begins with 0028. It is noted there as done. */
const beforePostgres = (sqlite: Migration): Step => ({ sqlite, postgres: nothing });

/** The changes of the schema, oldest first. */
const steps: Record<string, Step> = {
  '0001-first-schema': beforePostgres(firstSchema),
  '0002-accounts-creators-plans': beforePostgres(accountsCreatorsPlans),
  '0003-placeholders': beforePostgres(placeholders),
  '0004-embedders': beforePostgres(embedders),
  '0005-blank-chunks': beforePostgres(blankChunks),
  '0006-vector-numbers': beforePostgres(vectorNumbers),
  '0007-fencing-tokens': beforePostgres(fencingTokens),
  '0008-timelines': beforePostgres(timelines),
  '0009-media-warnings': beforePostgres(mediaWarnings),
  '0010-chunk-views': beforePostgres(chunkViews),
  '0011-original-checks': beforePostgres(originalChecks),
  '0012-one-job-table': beforePostgres(oneJobTable),
  '0013-descriptors': beforePostgres(descriptors),
  '0014-media-totals': beforePostgres(mediaTotals),
  '0015-item-changes': beforePostgres(itemChanges),
  '0016-drop-chunk-texts': beforePostgres(dropChunkTexts),
  '0017-capture': beforePostgres(capture),
  '0018-collections-and-tags': beforePostgres(collectionsAndTags),
  '0019-trash': beforePostgres(trash),
  '0020-shares': beforePostgres(shares),
  '0021-saved-searches': beforePostgres(savedSearches),
  '0022-api-key-names': beforePostgres(apiKeyNames),
  '0023-text-segments': beforePostgres(textSegments),
  '0024-job-turns': beforePostgres(jobTurns),
  '0025-read-again': beforePostgres(readAgain),
  '0026-texts-in-turn': beforePostgres(textsInTurn),
  '0027-draft-model': beforePostgres(draftModel),
  '0028-one-catalog': oneCatalog,
  '0029-shared-state': { sqlite: nothing, postgres: sharedState },
  '0030-text-index': { sqlite: nothing, postgres: textIndex },
  '0031-notify': { sqlite: nothing, postgres: notify },
  '0032-rankings': { sqlite: nothing, postgres: rankings },
  '0033-events': events,
  '0034-saved-matches': savedMatches,
  '0035-uploads': uploads,
  '0036-webhooks': webhooks,
  '0037-upload-makers': uploadMakers,
  '0038-traffic-limits': trafficLimits,
  '0039-text-orders': textOrders,
  '0040-access-makers': accessMakers,
  '0041-fold-texts-again': { sqlite: nothing, postgres: foldTextsAgain },
  '0042-rating': rating,
  '0043-one-lease': oneLease,
  '0044-saved-parameters': { sqlite: savedParameters, postgres: savedParameters },
};

export const migrationsOf = (dialect: Dialect['name']): Record<string, Migration> =>
  Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, step[dialect]]));

/** Whether this version knows a change; one that it does not know was made by a newer version. */
export const isKnownMigration = (name: string): boolean => Object.hasOwn(steps, name);
