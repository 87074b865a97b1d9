import { type EmbedderPreset, presets } from './presets.ts';

/** What of a machine decides which models it can run. */
export type Machine = {
  /** Bytes that the service may use. */
  memory: number;
  cores: number;
};

/** The share of the memory that models may take: the rest is for decoders, indexes and the system's own cache of files. */
const memoryShare = 0.5;
/** What `siglip-base-patch16-224` takes of one core for a picture, about, seconds. */
const secondsOfBase = 0.3;
/** A picture should take no longer: an hour of film has a thousand moments and more. Seconds. */
const mostSeconds = 1;

/** The recommended model by its name, and why, as sentences. */
export type Recommendation = { name: string; reason: string };

/**
 * The model that is likely to understand most of those that a machine can run: the one that computes most and takes no more than half of the memory, and a second for a
 * picture. By estimate, from the sizes of the models; nothing is run.
 */
export function recommendModel(machine: Machine): Recommendation {
  const ranked = presets.toSorted((a, b) => b.work - a.work || b.memory - a.memory);
  const place = ranked.findIndex((preset) => lackOf(preset, machine) === null);
  const found = ranked[place];
  const larger = ranked[(found ? place : ranked.length) - 1];
  const more = larger ? ` ${larger.name} ${lackOf(larger, machine)}.` : '';
  if (!found) return { name: 'builtin', reason: `It takes 0.2 GB and a few milliseconds.${more}` };
  const time = (found.work * secondsOfBase) / machine.cores;
  return {
    name: found.name,
    reason: `It takes about ${gigabytes(found.memory)} and ${time.toFixed(time < 0.1 ? 2 : 1)} s for a picture.${more}`,
  };
}

/** What a machine has too little of for a model, as the end of a sentence; null: nothing. */
function lackOf({ memory, work }: EmbedderPreset, machine: Machine): string | null {
  if (memory > memoryShare * machine.memory) return `would need ${gigabytes(memory / memoryShare)} of memory`;
  const least = Math.ceil((work * secondsOfBase) / mostSeconds);
  return least > machine.cores ? `would need ${least} cores for a picture a second` : null;
}

const gigabytes = (bytes: number): string => `${Math.round(bytes / 1e8) / 10} GB`;
