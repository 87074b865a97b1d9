import { clsx } from 'clsx';
import { ArrowDown, ArrowUp, GripVertical, ImageOff, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { formatSpan } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { IconButton } from '../../ui/button.tsx';
import type { BasketMoment } from './basket-moments.ts';

type BasketRowProps = {
  moment: BasketMoment;
  place: number;
  /** Moments in the basket. */
  count: number;
  thumbnail: string | undefined;
  /** Whether its item was deleted meanwhile. */
  isMissing: boolean;
  isDragged: boolean;
  /** Whether what is dragged comes here. */
  isTarget: boolean;
  onMove: (to: number) => void;
  onRename: (name: string) => void;
  onRemove: () => void;
  onOpen: () => void;
  onDragStart: () => void;
  onDragOver: () => void;
  onDragEnd: () => void;
};

/** A moment in the basket. */
export function BasketRow(props: BasketRowProps) {
  const { moment, place, count, isMissing, isDragged, isTarget, onMove } = props;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!event.altKey || step === undefined) return;
    event.preventDefault();
    const to = place + step;
    if (to >= 0 && to < count) onMove(to);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys of what is in it; dragging has buttons beside it
    <li
      onKeyDown={onKeyDown}
      onDragOver={(event) => {
        event.preventDefault();
        props.onDragOver();
      }}
      className={clsx(
        'flex items-center gap-2.5 py-2 pr-2 pl-1',
        isDragged && 'opacity-50',
        isTarget && 'bg-accent-soft',
      )}
    >
      <span
        draggable
        onDragStart={props.onDragStart}
        onDragEnd={props.onDragEnd}
        title="Drag to move"
        className="cursor-grab py-2 text-quiet"
        aria-hidden
      >
        <GripVertical className="size-4" />
      </span>
      <Thumbnail url={props.thumbnail} isMissing={isMissing} />
      <div className="min-w-0 flex-1">
        <NameField {...props} />
        <p className="truncate px-1.5 text-xs text-quiet tabular-nums">
          {isMissing ? (
            <span className="font-medium text-danger">Deleted from the library</span>
          ) : (
            <Link
              to={paths.media(moment.mediaId, moment.type !== 'image' ? { t: moment.start } : {})}
              onClick={props.onOpen}
              className="hover:text-ink hover:underline"
            >
              {formatSpan(moment)}
              {moment.name === '' ? '' : ` · ${moment.filename}`}
            </Link>
          )}
        </p>
      </div>
      <RowButtons {...props} />
    </li>
  );
}

const Thumbnail = ({ url, isMissing }: { url: string | undefined; isMissing: boolean }) => (
  <span className="grid aspect-video w-20 shrink-0 place-items-center overflow-hidden rounded bg-raised text-quiet">
    {isMissing ? (
      <ImageOff className="size-4" aria-hidden />
    ) : url === undefined ? null : (
      <img src={url} alt="" className="size-full object-cover" />
    )}
  </span>
);

/** The name, to be changed in its place. Escape leaves it as it was. */
function NameField({ moment: { name, filename }, place, onRename }: BasketRowProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Another tab may have renamed it.
    if (field.current) field.current.value = name;
  }, [name]);
  return (
    <input
      ref={field}
      defaultValue={name}
      placeholder={filename}
      maxLength={200}
      aria-label={`Name of moment ${place + 1}: ${name === '' ? filename : name}`}
      onBlur={({ target }) => onRename(target.value.trim())}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        // The drawer stays open.
        event.stopPropagation();
        event.preventDefault();
        if (event.key === 'Escape') event.currentTarget.value = name;
        event.currentTarget.blur();
      }}
      className="h-7 w-full truncate rounded border border-transparent bg-transparent px-1.5 font-medium placeholder:text-ink hover:border-line focus:border-line focus:bg-canvas focus:placeholder:text-quiet"
    />
  );
}

function RowButtons({ moment, place, count, onMove, onRemove }: BasketRowProps) {
  const name = moment.name === '' ? moment.filename : moment.name;
  return (
    <span className="flex shrink-0">
      <IconButton
        icon={ArrowUp}
        label={`Move up: ${name}`}
        size="smallIcon"
        title="Move up (Alt+↑)"
        disabled={place === 0}
        onClick={() => onMove(place - 1)}
      />
      <IconButton
        icon={ArrowDown}
        label={`Move down: ${name}`}
        size="smallIcon"
        title="Move down (Alt+↓)"
        disabled={place === count - 1}
        onClick={() => onMove(place + 1)}
      />
      <IconButton icon={X} label={`Remove: ${name}`} size="smallIcon" title="Remove" onClick={onRemove} />
    </span>
  );
}
