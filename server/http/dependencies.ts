import type { VisionModel } from '@media-search/models/vision-model';
import type { AssetStore } from '../assets/asset-store.ts';
import type { LostAndFound } from '../assets/lost-and-found.ts';
import type { PartialFiles } from '../assets/partial-files.ts';
import type { RequestClaims } from '../catalog/accounts/request-claims.ts';
import type { BufferedCounters } from '../catalog/counters/buffered-counters.ts';
import type { Counters } from '../catalog/counters/rate-counters.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { ExtractionSource } from '../catalog/tables/texts.ts';
import type { Exports } from '../delivery/export/exports.ts';
import type { PictureFiles } from '../delivery/pictures/picture-files.ts';
import type { ShareDownloads } from '../delivery/shares/share-downloads.ts';
import type { ShareFiles } from '../delivery/shares/share-files.ts';
import type { MediaChanges } from '../jobs/change-media.ts';
import type { SpeechService } from '../jobs/speech-service.ts';
import type { EventFeed } from '../messaging/events/event-feed.ts';
import type { PubSub } from '../messaging/pubsub/pubsub.ts';
import type { Secrets } from '../platform/crypto/secrets.ts';
import type { Readiness } from '../platform/health/readiness.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { OutboundAccess } from '../platform/outbound/checked-agent.ts';
import type { Scratch } from '../platform/storage/scratch.ts';
import type { EmbedderService } from '../search/embedding/embedder-service.ts';
import type { Highlights } from '../search/highlights/highlights.ts';
import type { QueryPool } from '../search/query-workers/query-pool.ts';
import type { SearchEngine } from '../search/search-engine.ts';
import type { Role, Settings } from '../settings.ts';
import type { SourceBuckets } from '../sources/source-buckets.ts';
import type { MediaRemoval } from '../uploads/media-removal.ts';
import type { RateLimit } from './limits/rate-limit.ts';
import type { SignInLimits } from './limits/sign-in-limit.ts';

/** The parts of the service that the HTTP layer needs. */
export type AppDependencies = BufferedCounters & {
  role: Role;
  metrics: Metrics;
  readiness: Readiness;
  db: Catalog;
  assets: AssetStore;
  partialFiles: PartialFiles;
  scratch: Scratch;
  lostAndFound: LostAndFound;
  search: SearchEngine;
  counters: Counters;
  requestClaims: RequestClaims;
  pubsub: PubSub;
  pictureFiles: PictureFiles;
  shareFiles: ShareFiles;
  shareDownloads: ShareDownloads;
  highlights: Highlights;
  embedding: EmbedderService;
  queryPool: QueryPool;
  exports: Exports;
  changes: MediaChanges;
  eventFeed: EventFeed;
  /** Judges hits when `rerank` is asked for; null: the embedder does. */
  visionModel: VisionModel | null;
  outbound: OutboundAccess;
  secrets: Secrets;
  /** The URL under which clients reach the service; null: the one that each request names. */
  publicUrl: string | null;
  /** What the map of places is drawn with besides an outline; null: nothing. */
  mapTiles: Settings['mapTiles'];
  /** The texts that this service recognises in pictures and sound. */
  recognised: readonly ExtractionSource[];
  speech: Pick<SpeechService, 'model' | 'problem'>;
  maxUploadBytes: number;
  /** Within which owners may add sources. */
  sourceRoots: string[];
  dataDirectory: string;
  sourceBuckets: Pick<SourceBuckets, 'check' | 'listFolders'>;
  /** Removes the files of an item that was just deleted. Never throws. */
  removeFiles: (workspaceId: string, mediaId: string) => Promise<void>;
  removeUnlisted: MediaRemoval['removeUnlisted'];
  /** Notes how far the catalog has come, so that an older copy is known not to have what happened. */
  noteHistory: () => Promise<void>;
  /** Called after an item was stored or went back to `pending`, so that a worker takes it at once. */
  onStored: () => void;
  /** Requests a minute that each API key may make; 0: any number. */
  requestsPerMinute: number;
  /** Addresses and networks of the proxies whose `X-Forwarded-…` count. */
  trustedProxies: string[];
  dashboardDirectory: string;
  logLevel: string;
  version: string;
};

/** What the endpoints call. */
export type Dependencies = AppDependencies & { signInLimits: SignInLimits; rateLimit: RateLimit };
