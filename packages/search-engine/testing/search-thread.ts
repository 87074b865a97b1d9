import { workerData } from 'node:worker_threads';
import { serveSearches } from '../ranking/serve-searches.ts';

/** A thread that searches indexes whose chunks have no texts. */

serveSearches(workerData as number, { readTexts: (_, numbers) => numbers.map(() => undefined), findLabels: () => [] });
