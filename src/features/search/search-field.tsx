import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { paths } from '../../paths.ts';

/** The one field for words. `/` leads to it from anywhere. */
export function SearchField({ query }: { query: string }) {
  const navigate = useNavigate();
  const ref = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(query);
  const [shown, setShown] = useState(query);
  // Back and forward change the query from outside.
  if (shown !== query) {
    setShown(query);
    setText(query);
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      ref.current?.select();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <form
      role="search"
      className="relative w-full max-w-xl"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') void navigate(paths.searchFor(text.trim()));
      }}
    >
      <Search className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-quiet" aria-hidden />
      <input
        ref={ref}
        type="search"
        enterKeyHint="search"
        maxLength={500}
        aria-label="Search"
        placeholder="Describe a moment…"
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-9 w-full rounded-control border border-line bg-surface pr-3 pl-9 placeholder:text-quiet"
      />
    </form>
  );
}
