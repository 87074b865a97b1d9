import { formatPercent } from './format.ts';

const words = {
  queued: 'Queued',
  reading: 'Processing',
  analysing: 'Analysing',
  rendering: 'Preparing playback',
  storing: 'Finishing',
};
type IndexingStage = keyof typeof words;

/** Where an item is on its way to being searchable, in words. */
export function describeStage(progress: { stage: IndexingStage; fraction: number } | null): string {
  if (!progress) return words.queued;
  return progress.stage === 'queued' ? words.queued : `${words[progress.stage]} · ${formatPercent(progress.fraction)}`;
}
