import { clsx } from 'clsx';
import { ImageUp, Search } from 'lucide-react';
import { type ClipboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useDropzone } from 'react-dropzone';
import { useNavigate } from 'react-router';
import { useRecentSearches } from '../../lib/recent-searches.ts';
import { paths } from '../../paths.ts';
import { keepQueryImage } from './query-images.ts';

/** The field for words to search by. It also takes an image: chosen, pasted or dropped. The key `/` focuses it on every page. */
export function SearchField({ query }: { query: string }) {
  const navigate = useNavigate();
  const ref = useRef<HTMLInputElement>(null);
  useSlashKey(ref);
  const [text, setText] = useState(query);
  const [shown, setShown] = useState(query);
  // Back and forward change the query from outside.
  if (shown !== query) {
    setShown(query);
    setText(query);
  }
  const { dropzone, onPaste } = useImageSearch();
  const { isDragActive } = dropzone;
  return (
    <div {...dropzone.getRootProps()} className="w-full max-w-xl">
      <input {...dropzone.getInputProps({ 'aria-label': 'Image to search by', style: { display: 'none' } })} />
      <form
        role="search"
        className="relative"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') void navigate(paths.searchFor(text.trim()));
        }}
      >
        <Search
          className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-quiet"
          aria-hidden
        />
        <input
          ref={ref}
          type="search"
          enterKeyHint="search"
          maxLength={500}
          aria-label="Search"
          placeholder={isDragActive ? 'Drop an image to find similar scenes' : 'Describe a moment…'}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onPaste={onPaste}
          list="recent-searches"
          autoComplete="off"
          className={clsx(
            'h-9 w-full rounded-control border bg-surface pr-10 pl-9 placeholder:text-quiet',
            isDragActive ? 'border-accent' : 'border-line',
          )}
        />
        <ImageButton onClick={dropzone.open} />
        <RecentSearches id="recent-searches" />
      </form>
    </div>
  );
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

/** Searches by an image that is chosen, dropped or pasted. */
function useImageSearch() {
  const navigate = useNavigate();
  const searchByImage = (image: File) => void navigate(paths.searchByImage(keepQueryImage(image)));
  const dropzone = useDropzone({
    accept: { 'image/*': [] },
    multiple: false,
    noClick: true,
    noKeyboard: true,
    // Elsewhere on the page a dropped file is an upload.
    noDragEventsBubbling: true,
    onDropAccepted: ([image]) => image && searchByImage(image),
  });
  const onPaste = (event: ClipboardEvent) => {
    const image = [...event.clipboardData.files].find(({ type }) => type.startsWith('image/'));
    if (!image) return;
    // Elsewhere on the page a pasted file is an upload.
    event.preventDefault();
    event.nativeEvent.stopImmediatePropagation();
    searchByImage(image);
  };
  return { dropzone, onPaste };
}

const ImageButton = ({ onClick }: { onClick: () => void }) => (
  <button
    type="button"
    aria-label="Search by image"
    title="Search by image: choose, paste or drop one"
    onClick={onClick}
    className="absolute top-1 right-1 grid size-7 place-items-center rounded-md text-quiet hover:bg-raised hover:text-ink"
  >
    <ImageUp className="size-4" aria-hidden />
  </button>
);

/** Suggestions for the field. */
function RecentSearches({ id }: { id: string }) {
  const [recent] = useRecentSearches();
  return (
    <datalist id={id}>
      {recent.map((query) => (
        <option key={query}>{query}</option>
      ))}
    </datalist>
  );
}
