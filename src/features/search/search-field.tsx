import { clsx } from 'clsx';
import { ImageUp, Search } from 'lucide-react';
import {
  type ClipboardEvent,
  type KeyboardEventHandler,
  type RefObject,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { useNavigate } from 'react-router';
import { lazyPart } from '../../api/parts.ts';
import { paths } from '../../paths.ts';
import { isTooLong } from './query-length.ts';
import type { SuggestionKeys } from './search-suggestions.tsx';
import { useSearchByImage } from './use-search-by-image.ts';

/** Loaded when the field gets the focus. */
const SearchSuggestions = lazyPart(async () => (await import('./search-suggestions.tsx')).SearchSuggestions);

/**
 * The field for words to search by, with suggestions below it. It also takes an image, chosen or pasted. The key `/` focuses it on every page.
 */
export function SearchField({ query }: { query: string }) {
  const navigate = useNavigate();
  const ref = useRef<HTMLInputElement>(null);
  useSlashKey(ref);
  const [text, setText] = useTyped(query);
  const { isOpen, active, setActive, keys, list, show, close, onKeyDown } = useOpenSuggestions();
  const searchByImage = useSearchByImage();
  const tooLong = isTooLong(text);
  return (
    <div
      className="w-full max-w-xl sm:relative"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) close();
      }}
    >
      <form
        role="search"
        className="relative"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === '' || tooLong) return;
          close();
          void navigate(paths.searchFor(text.trim()));
        }}
      >
        <FieldIcon />
        <input
          ref={ref}
          type="search"
          role="combobox"
          aria-expanded={isOpen}
          aria-controls={isOpen ? list : undefined}
          aria-activedescendant={isOpen && active !== null ? active : undefined}
          aria-autocomplete="list"
          aria-invalid={tooLong}
          enterKeyHint="search"
          aria-label="Search"
          placeholder="Describe a moment…"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            show();
          }}
          onFocus={show}
          onClick={show}
          onKeyDown={onKeyDown}
          onPaste={takePasted(searchByImage)}
          autoComplete="off"
          className={clsx(fieldClass, tooLong ? 'border-danger' : 'border-line')}
        />
        <ImageButton onImage={searchByImage} />
      </form>
      {isOpen ? (
        <Suspense>
          <SearchSuggestions id={list} text={text} keys={keys} onActive={setActive} onClose={close} />
        </Suspense>
      ) : null}
    </div>
  );
}

const fieldClass = 'h-9 w-full rounded-control border bg-surface pr-10 pl-9 placeholder:text-quiet pointer-coarse:h-11';

const FieldIcon = () => (
  <Search className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-quiet" aria-hidden />
);

/** The text of the field, which back and forward change from outside. */
function useTyped(query: string): [string, (text: string) => void] {
  const [text, setText] = useState(query);
  const [shown, setShown] = useState(query);
  if (shown !== query) {
    setShown(query);
    setText(query);
  }
  return [text, setText];
}

/** Whether suggestions are shown, which one is chosen, and the keys that do both. */
function useOpenSuggestions() {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState<string | null>(null);
  const keys = useRef<SuggestionKeys>(null);
  const list = useId();
  const onKeyDown: KeyboardEventHandler = (event) => {
    if (event.nativeEvent.isComposing) return;
    if (isOpen ? keys.current?.press(event.key) : event.key === 'ArrowDown') event.preventDefault();
    if (event.key === 'ArrowDown') setOpen(true);
  };
  return {
    isOpen,
    active,
    setActive,
    keys,
    list,
    show: () => setOpen(true),
    close: () => setOpen(false),
    onKeyDown,
  };
}

/** Focuses a field and selects its text when `/` is pressed outside a text field. */
function useSlashKey(ref: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      ref.current?.select();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [ref]);
}

/** Takes an image that is pasted into the field. */
const takePasted =
  (searchByImage: (image: File) => void) =>
  (event: ClipboardEvent): void => {
    const image = [...event.clipboardData.files].find(({ type }) => type.startsWith('image/'));
    if (!image) return;
    // Elsewhere on the page a pasted file is an upload.
    event.preventDefault();
    event.nativeEvent.stopImmediatePropagation();
    searchByImage(image);
  };

/** Chooses an image to search by. */
function ImageButton({ onImage }: { onImage: (image: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="image/*,video/*"
        hidden
        aria-label="Image to search by"
        onChange={({ currentTarget }) => {
          const [image] = currentTarget.files ?? [];
          if (image) onImage(image);
          // The same image can be chosen again.
          currentTarget.value = '';
        }}
      />
      <button
        type="button"
        aria-label="Search by image"
        title="Search by image or video: choose, paste or drop one on the page"
        onClick={() => input.current?.click()}
        className="absolute top-1 right-1 grid size-7 place-items-center rounded-md text-quiet hover:bg-raised hover:text-ink pointer-coarse:top-0 pointer-coarse:right-0 pointer-coarse:size-11"
      >
        <ImageUp className="size-4" aria-hidden />
      </button>
    </>
  );
}
