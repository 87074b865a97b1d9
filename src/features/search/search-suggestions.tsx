import { clsx } from 'clsx';
import { Bookmark, File, FolderOpen, History, type LucideIcon, Tag, User, X } from 'lucide-react';
import { type Ref, useImperativeHandle, useLayoutEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { forgetSearch } from '../../lib/recent-searches.ts';
import { isTooLong, maxQueryLength, queryLength, tooLongSentence } from './query-length.ts';
import { type Suggestion, type SuggestionKind, useSuggestions } from './use-suggestions.ts';

/** What the field passes its keys to. */
export type SuggestionKeys = {
  /** @returns whether the key meant a suggestion, and nothing else */
  press: (key: string) => boolean;
};

const sections: Record<SuggestionKind, { title: string; icon: LucideIcon }> = {
  recent: { title: 'Recent searches', icon: History },
  saved: { title: 'Saved searches', icon: Bookmark },
  tag: { title: 'Tags', icon: Tag },
  creator: { title: 'Creators', icon: User },
  collection: { title: 'Collections', icon: FolderOpen },
  item: { title: 'Files', icon: File },
};

/**
 * What the search field suggests, below it; on a phone in a sheet over the page. The focus stays in the field, which names the suggestion that is
 * chosen by the arrow keys.
 * @param id of the list
 * @param onActive called with the identifier of the suggestion that Enter opens; null: what is typed
 */
export function SearchSuggestions({
  id,
  text,
  keys,
  onActive,
  onClose,
}: {
  id: string;
  text: string;
  keys: Ref<SuggestionKeys>;
  onActive: (option: string | null) => void;
  onClose: () => void;
}) {
  const { suggestions, isPending } = useSuggestions(text);
  const { place, point, open } = useChoice(suggestions, { id, keys, onActive, onClose });
  const kinds = [...new Set(suggestions.map(({ kind }) => kind))];
  return (
    <div
      // The field keeps the focus, and what is below it stays open.
      onPointerDown={(event) => event.preventDefault()}
      className={clsx(
        'absolute inset-x-0 top-full z-30 overflow-y-auto overscroll-contain bg-surface p-1.5 max-sm:h-[calc(100dvh-7rem)] sm:mt-1.5 sm:max-h-[min(32rem,70dvh)] sm:rounded-card sm:border sm:border-line sm:shadow-float',
        suggestions.length === 0 && queryLength(text) < countedFrom && 'sm:hidden',
      )}
    >
      <Length text={text} />
      <div id={id} role="listbox" aria-label="Suggestions" aria-busy={isPending}>
        {kinds.map((kind) => (
          <div key={kind} role="group" aria-labelledby={`${id}-${kind}`}>
            <p id={`${id}-${kind}`} className="px-2.5 pt-2 pb-1 text-xs font-medium text-quiet">
              {sections[kind].title}
            </p>
            {suggestions.map((suggestion, i) =>
              suggestion.kind === kind ? (
                <Option
                  key={suggestion.key}
                  id={`${id}-${i}`}
                  suggestion={suggestion}
                  isActive={i === place}
                  onPoint={() => point(suggestion)}
                  onChoose={() => open(suggestion)}
                />
              ) : null,
            )}
          </div>
        ))}
      </div>
      {suggestions.length === 0 && !isPending && !isTooLong(text) ? (
        <p className="px-2.5 py-4 text-quiet">
          {text.trim() === '' ? 'Type what you look for. Your searches will be here.' : 'Press Enter to search.'}
        </p>
      ) : null}
      {suggestions[place]?.kind === 'recent' ? <p className="sr-only">Delete removes it from the list.</p> : null}
    </div>
  );
}

type Choosing = {
  /** Of the list. */
  id: string;
  keys: Ref<SuggestionKeys>;
  onActive: (option: string | null) => void;
  onClose: () => void;
};

/** Which suggestion is chosen, by the arrow keys of the field or by the pointer, and how to open one. */
function useChoice(suggestions: readonly Suggestion[], { id, keys, onActive, onClose }: Choosing) {
  const navigate = useNavigate();
  const [active, setActive] = useState<string | null>(null);
  const place = suggestions.findIndex(({ key }) => key === active);
  const activeId = place < 0 ? null : `${id}-${place}`;
  useLayoutEffect(() => {
    onActive(activeId);
    if (activeId !== null) document.querySelector(`#${CSS.escape(activeId)}`)?.scrollIntoView({ block: 'nearest' });
  }, [activeId, onActive]);
  const open = ({ to }: Suggestion) => {
    onClose();
    void navigate(to);
  };
  const moveTo = (next: number) => setActive(suggestions[next]?.key ?? null);
  useImperativeHandle(keys, () => ({
    press(key) {
      const chosen = suggestions[place];
      // Past the last one, and before the first, is what is typed.
      if (key === 'ArrowDown') moveTo(place + 1);
      else if (key === 'ArrowUp') moveTo(place < 0 ? suggestions.length - 1 : place - 1);
      else if (key === 'Enter' && chosen) open(chosen);
      // Another Escape empties the field, as browsers do.
      else if (key === 'Escape') onClose();
      else if (key === 'Delete' && chosen?.kind === 'recent') {
        forgetSearch(chosen.text);
        moveTo(place + 1);
      } else return false;
      return true;
    },
  }));
  return { place, open, point: ({ key }: Suggestion) => setActive(key) };
}

/** One suggestion. A recent search can be taken off the list: by the key Delete, or here by the pointer. */
function Option({
  id,
  suggestion: { kind, text, thumbnail },
  isActive,
  onPoint,
  onChoose,
}: {
  id: string;
  suggestion: Suggestion;
  isActive: boolean;
  onPoint: () => void;
  onChoose: () => void;
}) {
  const Icon = sections[kind].icon;
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the field has the focus and hears the keys
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      onPointerMove={onPoint}
      onClick={onChoose}
      className={clsx(
        'flex h-9 cursor-pointer items-center gap-2.5 rounded-control px-2.5 pointer-coarse:h-11',
        isActive && 'bg-raised',
      )}
    >
      {thumbnail ? (
        <img src={thumbnail} alt="" className="h-7 w-10 shrink-0 rounded-xs object-cover" />
      ) : (
        <Icon className="size-4 shrink-0 text-quiet" aria-hidden />
      )}
      <span className="min-w-0 flex-1 truncate" title={text}>
        {text}
      </span>
      {kind === 'recent' ? (
        <span
          aria-hidden
          title="Remove"
          onClick={(event) => {
            event.stopPropagation();
            forgetSearch(text);
          }}
          className="grid size-7 place-items-center rounded-control text-quiet hover:bg-line hover:text-ink pointer-coarse:size-11"
        >
          <X className="size-4" />
        </span>
      ) : null}
    </div>
  );
}

/** From so many characters on the field says how many there are. */
const countedFrom = maxQueryLength - 100;

/** How long a long query is, and that it is too long. */
function Length({ text }: { text: string }) {
  const length = queryLength(text);
  if (length < countedFrom) return null;
  const isOver = length > maxQueryLength;
  return (
    <p
      role={isOver ? 'alert' : undefined}
      className={clsx('px-2.5 pt-1.5 text-right text-xs tabular-nums', isOver ? 'text-danger' : 'text-quiet')}
    >
      {isOver ? `${tooLongSentence} ` : null}
      {length} of {maxQueryLength}
    </p>
  );
}
