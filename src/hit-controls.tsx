import { AddSpanButton, BasketButton, BasketCorner, BasketEntry } from './features/basket/basket-toggle.tsx';
import { ExportClipButton } from './features/export/export-clip-button.tsx';
import type { ShownHit } from './features/search/shown-hit.ts';
import { ShareHit } from './features/share/share-hit.tsx';

// What several features offer for a result, put together for all pages with results.

/** In the corner of its card. */
export const renderCorner = (hit: ShownHit) => <BasketCorner hit={hit} />;

/** In the menu of its card. */
export const renderEntries = (hit: ShownHit, className: string) => <BasketEntry hit={hit} className={className} />;

/** In the bar over its player. */
export const renderActions = (hit: ShownHit) => (
  <>
    <BasketButton hit={hit} />
    <ShareHit hit={hit} />
    <ExportClipButton
      clip={{ mediaId: hit.id, type: hit.type, start: hit.start, end: hit.end }}
      renderMore={(span) => <AddSpanButton item={hit} span={span} />}
    />
  </>
);
