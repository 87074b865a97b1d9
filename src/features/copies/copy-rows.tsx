import { ArrowRight, AudioLines, Columns2, Film, Image } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Link } from 'react-router';
import type { Copy, MediaItem } from '../../api/generated/api/index.ts';
import { lazyPart } from '../../api/parts.ts';
import { paths } from '../../paths.ts';
import { IconButton } from '../../ui/button.tsx';
import { CardImage } from '../../ui/card-image.tsx';
import { copyWords, describeDifference, describeSpans } from './describe-copy.ts';

const CompareDialog = lazyPart(async () => (await import('./compare-dialog.tsx')).CompareDialog);

const icons = { video: Film, image: Image, audio: AudioLines };

/** A small picture of an item. */
export function CopyThumbnail({ item: { thumbnail, thumbnails, type } }: { item: MediaItem }) {
  const Icon = icons[type];
  return (
    <span className="grid aspect-video w-20 shrink-0 place-items-center overflow-hidden rounded-control bg-raised text-quiet">
      {thumbnail === null ? (
        <Icon className="size-5 opacity-60" aria-hidden />
      ) : (
        <CardImage thumbnail={thumbnail} thumbnails={thumbnails} className="size-full object-cover" />
      )}
    </span>
  );
}

/** Items that show the same as another one, with when in both. @param item what they are compared with side by side; null: it has no page, such as a file that was dropped */
export function CopyRows({ item, copies, label }: { item: MediaItem | null; copies: readonly Copy[]; label: string }) {
  const [compared, setCompared] = useState<Copy | null>(null);
  return (
    <>
      <ul aria-label={label} className="space-y-3">
        {copies.map((copy) => (
          <CopyRow key={copy.item.id} copy={copy} onCompare={item ? () => setCompared(copy) : null} />
        ))}
      </ul>
      {compared && item ? (
        <Suspense>
          <CompareDialog item={item} copy={compared} onClose={() => setCompared(null)} />
        </Suspense>
      ) : null}
    </>
  );
}

function CopyRow({ copy, onCompare }: { copy: Copy; onCompare: (() => void) | null }) {
  const { item, kind, spans } = copy;
  const [first] = spans;
  const difference = first ? describeDifference(first) : '';
  return (
    <li className="flex items-start gap-3">
      <CopyThumbnail item={item} />
      <div className="min-w-0 flex-1">
        <Link
          to={paths.media(item.id, first && first.other_start > 0 ? { t: first.other_start } : {})}
          className="block truncate font-medium hover:underline"
          title={item.filename}
        >
          {item.filename}
        </Link>
        <p className="text-label text-quiet">
          {copyWords[kind]}
          {difference === '' ? '' : ` · ${difference}`}
        </p>
        {spans.map((span) => {
          const times = describeSpans(span);
          return times ? (
            <p key={span.start} className="text-label text-quiet tabular-nums">
              {times.here}
              <ArrowRight className="mx-1 inline size-3.5" aria-hidden />
              <span className="sr-only"> is there at </span>
              {times.there}
            </p>
          ) : null;
        })}
      </div>
      {onCompare ? (
        <IconButton
          icon={Columns2}
          label={`Compare with ${item.filename}`}
          title="Compare"
          size="smallIcon"
          onClick={onCompare}
        />
      ) : null}
    </li>
  );
}
