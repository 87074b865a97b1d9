import type { GaugeSource } from './metrics.ts';

/** A gauge of one number, without labels. */
export const plainGauge = (name: string, help: string, read: () => number | Promise<number>): GaugeSource => ({
  name,
  help,
  labelNames: [],
  read: async () => [{ labels: {}, value: await read() }],
});
