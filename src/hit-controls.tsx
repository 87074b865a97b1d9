import { Suspense } from 'react';
import { lazyPart } from './api/parts.ts';
import { AddSpanButton, BasketButton, BasketCorner, BasketEntry } from './features/basket/basket-toggle.tsx';
import { ExportClipButton } from './features/export/export-clip-button.tsx';
import type { HitControls } from './features/search/hit-results.tsx';
import type { ShownHit } from './features/search/shown-hit.ts';
import { ShareHit } from './features/share/share-hit.tsx';

// What several features offer for a result, put together for all pages with results.

/** In the corner of its card. */
const renderCorner = (hit: ShownHit) => <BasketCorner hit={hit} />;

/** In the menu of its card. */
const renderEntries = (hit: ShownHit, className: string) => <BasketEntry hit={hit} className={className} />;

/** In the bar over its player. */
const renderActions = (hit: ShownHit) => (
  <>
    <BasketButton hit={hit} />
    <ShareHit hit={hit} />
    <ExportClipButton
      clip={{ mediaId: hit.id, type: hit.type, start: hit.start, end: hit.end }}
      renderMore={(span) => <AddSpanButton item={hit} span={span} />}
    />
  </>
);

const HitLocation = lazyPart(async () => (await import('./features/sources/hit-location.tsx')).HitLocation);

/** Below its player. */
const renderPlace = (hit: ShownHit) => (
  <Suspense>
    <HitLocation id={hit.id} />
  </Suspense>
);

/** All of it. */
export const hitControls: HitControls = { renderCorner, renderEntries, renderActions, renderPlace };
