import type { GaugeSource, Metrics } from './metrics.ts';
import type { MetricsRegistry } from './registry.ts';

/**
 * Metrics in memory. The library that counts them takes a tenth of a second to load, so it is loaded at the first scrape:
 * counting begins with the first reading.
 */
export function createMetrics(): Metrics {
  const sources: GaugeSource[] = [];
  let registry: MetricsRegistry | undefined;
  let loading: Promise<MetricsRegistry> | undefined;
  const load = async () => {
    const { createRegistry } = await import('./registry.ts');
    return (registry = createRegistry(sources));
  };
  return {
    observeRequest: (request, seconds) => registry?.observeRequest(request, seconds),
    observeStages: (spent) => registry?.observeStages(spent),
    countJob: (ended) => registry?.countJob(ended),
    observeStorage: (operation, outcome, seconds) => registry?.observeStorage(operation, outcome, seconds),
    observeDelivery: (ended) => registry?.observeDelivery(ended),
    countDeliveries: (outcome, count) => registry?.countDeliveries(outcome, count),
    addGauge: (source) => void sources.push(source),
    async read() {
      loading ??= load();
      const { text, contentType } = await loading;
      return { text: await text(), contentType };
    },
  };
}
