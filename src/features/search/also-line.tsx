import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { maxQueryLength } from './query-length.ts';

/** The line for words that hits of a search by a picture have to fit besides, such as “at night”. */
export function AlsoLine({ words, onChange }: { words: string; onChange: (words: string) => void }) {
  const [text, setText] = useState(words);
  return (
    <form
      className="mb-3 flex max-w-md items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text.trim());
      }}
    >
      <input
        aria-label="Words besides the picture"
        placeholder="… and words, such as “at night”"
        maxLength={maxQueryLength}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-8 min-w-0 flex-1 rounded-control border border-line bg-surface px-2.5 placeholder:text-quiet pointer-coarse:h-11"
      />
      <Button type="submit" size="small" disabled={text.trim() === words}>
        Search
      </Button>
    </form>
  );
}
