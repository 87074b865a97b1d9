import { useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, Check, ChevronLeft, ChevronRight, Pencil, X } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { type MediaItem, updateMedia } from '../../api/generated/api/index.ts';
import { mediaItemOptions } from '../../api/queries.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { describeError } from '../../lib/describe-error.ts';
import { formatCount } from '../../lib/format.ts';
import type { ItemTrail } from '../../lib/item-trail.ts';
import { libraryAddress } from '../../lib/library-place.ts';
import { useKeys } from '../../lib/use-keys.ts';
import { paths } from '../../paths.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { splitName, withExtension } from './file-name.ts';
import type { Neighbour, Neighbours } from './use-neighbours.ts';

/**
 * The way back, the way to the neighbours, the name of the item, and what can be done with it. The ways are there before the item is loaded, so
 * that a user who goes on quickly need not wait for it.
 */
export const ItemHeader = ({
  item,
  trail,
  neighbours,
  children,
}: {
  /** Undefined until it is loaded. */
  item: MediaItem | undefined;
  /** The list that led to the item. */
  trail: ItemTrail | null;
  neighbours: Neighbours | null;
  /** Its actions. */
  children: ReactNode;
}) => {
  const from = trail?.from ?? libraryAddress();
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      {item ? <PageTitle>{item.filename}</PageTitle> : null}
      <div className="flex min-w-0 basis-full items-center gap-2 md:flex-1">
        <Button asChild variant="quiet" size="icon" className="max-sm:size-11">
          <Link to={from} aria-label={describeWay(from)} title={describeWay(from)}>
            <ArrowLeft aria-hidden />
          </Link>
        </Button>
        {item ? <ItemTitle key={item.id} item={item} /> : null}
        {neighbours ? <NeighbourLinks neighbours={neighbours} /> : null}
      </div>
      {children}
    </div>
  );
};

/** Where the way back leads. */
function describeWay(from: string): string {
  if (from.startsWith(paths.search)) return 'Back to the results';
  if (from.startsWith(paths.highlights)) return 'Back to the highlights';
  return /^\/(\?|$)/.test(from) ? 'Back to the library' : 'Back to the list';
}

/** The name of an item as the heading of its page, and a field to change it in its place. */
function ItemTitle({ item }: { item: MediaItem }) {
  const [editing, setEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const close = () => {
    setEditing(false);
    // Once the button is there again.
    requestAnimationFrame(() => edit.current?.focus());
  };
  if (editing) return <NameForm item={item} onClose={close} />;
  return (
    <div className="flex min-w-0 items-center gap-1">
      <h1 className="min-w-0 text-lg font-semibold wrap-anywhere md:truncate" title={item.filename}>
        {item.filename}
      </h1>
      <IconButton icon={Pencil} label="Rename" ref={edit} className="max-sm:size-11" onClick={() => setEditing(true)} />
    </div>
  );
}

/** Enter saves, Escape leaves the name as it was. */
function NameForm({ item, onClose }: { item: MediaItem; onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(item.filename);
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const save = async (filename: string) => {
    setSaving(true);
    try {
      const answer = await updateMedia({ path: { id: item.id }, body: { filename } });
      client.setQueryData(mediaItemOptions(item.id).queryKey, answer);
      onClose();
      await reloadMedia(client);
    } catch (error) {
      setFailure(error instanceof Error ? describeError(error) : String(error));
      setSaving(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const next = withExtension(name.trim(), item.filename);
    if (next === item.filename) onClose();
    else void save(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    onClose();
  };
  return (
    <form onSubmit={submit} className="min-w-0 flex-1">
      <h1 className="sr-only">{item.filename}</h1>
      <div className="flex items-center gap-1">
        <input
          aria-label="File name"
          aria-invalid={failure !== null}
          aria-describedby={failure === null ? undefined : 'rename-failure'}
          value={name}
          maxLength={510}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the field takes the place of the button that was just pressed
          autoFocus
          // What tells one file from another is its name, not its extension.
          onFocus={({ currentTarget }) => currentTarget.setSelectionRange(0, splitName(item.filename).base.length)}
          onChange={({ target }) => setName(target.value)}
          onKeyDown={onKeyDown}
          className="h-9 w-full min-w-0 rounded-control border border-line bg-surface px-2.5 text-lg font-semibold aria-invalid:border-danger"
        />
        <IconButton icon={Check} label="Save" type="submit" title="Save (Enter)" disabled={saving} />
        <IconButton icon={X} label="Cancel" title="Cancel (Esc)" onClick={onClose} />
      </div>
      {failure === null ? null : (
        <p id="rename-failure" role="alert" className="mt-1 text-label text-danger">
          {failure}
        </p>
      )}
    </form>
  );
}

/** The ways to the items before and after this one in a list, by the keys `[` and `]` as well. Back leads to the list from each. */
function NeighbourLinks({ neighbours }: { neighbours: Neighbours }) {
  const { previous, next, place, total } = neighbours;
  const navigate = useNavigate();
  const go = (neighbour: Neighbour | null) =>
    neighbour && void navigate(neighbour.to, { replace: true, state: neighbour.state });
  useKeys({ '[': () => go(previous), ']': () => go(next) });
  return (
    <nav aria-label="Items of the list" className="ml-auto flex shrink-0 items-center">
      <NeighbourLink label="Previous item" keyName="[" neighbour={previous}>
        <ChevronLeft aria-hidden />
      </NeighbourLink>
      <span className="px-1 text-label whitespace-nowrap text-quiet tabular-nums max-sm:sr-only">
        {formatCount(place)} of {formatCount(total)}
      </span>
      <NeighbourLink label="Next item" keyName="]" neighbour={next}>
        <ChevronRight aria-hidden />
      </NeighbourLink>
    </nav>
  );
}

function NeighbourLink({
  label,
  keyName,
  neighbour,
  children,
}: {
  label: string;
  keyName: string;
  neighbour: Neighbour | null;
  children: ReactNode;
}) {
  const look = { variant: 'quiet', size: 'icon', className: 'max-sm:size-11', 'aria-label': label } as const;
  if (!neighbour) {
    return (
      <Button {...look} disabled>
        {children}
      </Button>
    );
  }
  return (
    <Button {...look} asChild title={`${label} (${keyName})`}>
      <Link to={neighbour.to} state={neighbour.state} replace>
        {children}
      </Link>
    </Button>
  );
}
