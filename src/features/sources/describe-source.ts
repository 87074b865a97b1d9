import type { Source } from '../../api/generated/api/index.ts';
import { formatCount, formatDate } from '../../lib/format.ts';
import { countWaiting } from '../../lib/source-counts.ts';

/** How the state of a source looks: as something under way, as something to see to, or quiet. */
type Tone = 'busy' | 'danger' | 'quiet' | 'good';

/** Problems of a source of which nobody but a person knows whether its files were deleted, or are only away. */
const doubtful = new Set(['mostly_missing', 'empty', 'not_mounted', 'other_disk']);

/** Whether a person may say that what is missing was deleted. */
export const mayBeDeleted = ({ problem }: Pick<Source, 'problem'>): boolean => doubtful.has(problem?.code ?? '');

/** Whether a location is in a bucket. */
const isInBucket = (location: string): boolean => location.startsWith('s3://');

/** What may be added as a source, by the roots that the operator allows: `a folder of the server or of a bucket`. */
export function describeAddable(roots: readonly string[]): string {
  const places = [
    ...(roots.some((root) => !isInBucket(root)) ? ['of the server'] : []),
    ...(roots.some(isInBucket) ? ['of a bucket'] : []),
  ];
  return ['a folder', places.join(' or ')].join(' ').trim();
}

type Stated = Pick<Source, 'state' | 'problem' | 'offline_since' | 'watching' | 'scan' | 'items'>;

/** The state of a source in a word or two. */
export function nameState(source: Stated): { text: string; tone: Tone } {
  switch (source.state) {
    case 'new':
      return { text: 'Waiting', tone: 'busy' };
    case 'scanning':
      return { text: 'Scanning', tone: 'busy' };
    case 'paused':
      return { text: 'Paused', tone: 'quiet' };
    case 'offline':
      return { text: 'Offline', tone: 'danger' };
    case 'removing':
      return { text: 'Being removed', tone: 'busy' };
    default:
      if (source.problem) return { text: 'Needs attention', tone: 'danger' };
      return countWaiting(source) > 0 ? { text: 'Indexing', tone: 'busy' } : { text: 'Up to date', tone: 'good' };
  }
}

/** The state of a source for who wants to know what it means: what is done, or why nothing is, and what works. */
export function describeState(source: Stated): string {
  const { state, problem, offline_since: since, watching, scan } = source;
  const why = problem === null ? '' : `${problem.message} `;
  switch (state) {
    case 'new':
      return 'It is scanned for the first time in a moment.';
    case 'scanning':
      return `${scan ? `${countFiles(scan.found)} found so far` : 'It is being scanned'}: their names and dates can be searched at once, what they show once they are indexed.`;
    case 'paused':
      return 'It is not scanned, and its items are not indexed, until it is resumed. What is indexed stays searchable.';
    case 'offline':
      return `${why}${since === null ? 'Its' : `It has been offline since ${formatDate(since)}: its`} items stay searchable with thumbnails and previews, and nothing is deleted. Originals can be opened and downloaded once it is back.`;
    case 'removing':
      return 'Its items are being deleted from the library. Its files stay where they are.';
    default:
      if (problem !== null) return problem.message;
      return `${countWaiting(source) > 0 ? 'Its items are being indexed' : 'All that it holds is indexed'}. ${
        watching
          ? 'The system tells of changes: they show within seconds.'
          : 'It is scanned again and again for changes.'
      }`;
  }
}

export const countFiles = (count: number): string => `${formatCount(count)} ${count === 1 ? 'file' : 'files'}`;

type Scan = Omit<NonNullable<Source['scan']>, 'started_at' | 'found'>;

/** What a scan found to be other than before: `3 added, 1 moved`; what did not happen is left out. */
export function describeScan(scan: Scan): string {
  const parts = (['added', 'changed', 'moved', 'gone', 'failed'] as const)
    .filter((name) => scan[name] > 0)
    .map((name) => `${formatCount(scan[name])} ${name}`);
  return parts.length === 0 ? 'nothing changed' : parts.join(', ');
}
