import { Suspense } from 'react';
import type { MediaItem } from '../api/generated/api/index.ts';
import { lazyPart } from '../api/parts.ts';
import { mediaItemOptions } from '../api/queries.ts';
import { requestOf } from '../api/request.ts';
import { AddSpanButton } from '../features/basket/basket-toggle.tsx';
import type { Shareable } from '../features/share/shareable.ts';

// The dialogs of several features that the page of an item opens, each loaded when it is.

const ExportClipDialog = lazyPart(
  async () => (await import('../features/export/export-clip-dialog.tsx')).ExportClipDialog,
);
const ShareDialog = lazyPart(async () => (await import('../features/share/share-dialog.tsx')).ShareDialog);
const RequestDialog = lazyPart(async () => (await import('../features/request/request-dialog.tsx')).RequestDialog);

export type ItemDialog = 'share' | 'export' | 'request';

/** Seconds of a clip that are proposed from a moment on. */
const proposedSeconds = 10;

/**
 * The dialog of an item that is open.
 * @param moment seconds, where the clip begins that is shared or exported; null: the whole item is offered
 */
export function ItemDialogs({
  item,
  open,
  moment,
  onClose,
}: {
  item: MediaItem;
  open: ItemDialog | null;
  moment: number | null;
  onClose: () => void;
}) {
  const { id, type, duration } = item;
  const start = moment !== null && moment > 0 && moment < (duration ?? 0) ? moment : 0;
  const end = Math.min(duration ?? 0, start + proposedSeconds);
  const request = requestOf(mediaItemOptions(id));
  const shareable: Shareable =
    type === 'image' || moment === null || moment >= (duration ?? 0)
      ? { id, type }
      : { id, type, moment: { start: moment, end } };
  return (
    // The keys of the viewer do not act while a form is filled in.
    <div role="presentation" onKeyDown={(event) => event.stopPropagation()}>
      <Suspense>
        {open === 'export' ? (
          <ExportClipDialog
            clip={{ mediaId: id, type, start, end }}
            renderMore={(span) => <AddSpanButton item={item} span={span} />}
            onClose={onClose}
          />
        ) : null}
        {open === 'share' ? <ShareDialog of={shareable} onClose={onClose} /> : null}
        {open === 'request' && request ? <RequestDialog request={request} onClose={onClose} /> : null}
      </Suspense>
    </div>
  );
}
