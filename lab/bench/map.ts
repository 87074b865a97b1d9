import { builtinReference } from '@media-search/models/load-embedder';
import { toUnit } from '@media-search/search-engine/vectors';
import { startSeededService } from './seeded-service.ts';

const count = Number(process.argv[2] ?? 7000);
void builtinReference;
void toUnit;
await using service = await startSeededService(count, { EMBEDDER: process.argv[3] ?? 'descriptors' });
for (const path of ['/media/highlights/map', '/media/highlights/map', '/media/highlights/map?layout=umap']) {
  const began = performance.now();
  const response = await fetch(`${service.url}/api/v1${path}`, { headers: { authorization: `Bearer ${service.key}` } });
  const text = await response.text();
  console.log(path, response.status, (performance.now() - began).toFixed(0), 'ms', text.length, text.slice(0, 300), text.slice(-200));
}
