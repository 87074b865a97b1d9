import { useId, useState } from 'react';
import { Link } from 'react-router';
import { parseCircle } from '../../../contract/positions.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import type { EditorProps } from './filter-bar.tsx';

/** What a circle is called where it is typed. */
const parts = ['Latitude', 'Longitude', 'Kilometres'] as const;

/** A circle on the earth by its middle and its size. A box comes from the map; a circle takes its place. */
export function AreaFields({ of: { filters }, search, onChange, onDone }: EditorProps) {
  const id = useId();
  const near = filters.find(({ operator }) => operator === 'near')?.url ?? '';
  const box = filters.find(({ operator }) => operator === 'box')?.url ?? '';
  const [texts, setTexts] = useState(() => {
    const [latitude = '', longitude = '', km = '10'] = search.get(near)?.split(',') ?? [];
    return [latitude, longitude, km];
  });
  const [isTried, setTried] = useState(false);
  const circle = parseCircle(texts.map((text) => text.trim()).join(','));
  const isWrong = isTried && circle === null;
  /** A position is often copied as a whole: 53.55, 9.99. */
  const change = (i: number, text: string) => {
    const [latitude, longitude] = /^\s*(-?\d+\.?\d*)\s*[,;]\s*(-?\d+\.?\d*)\s*$/.exec(text)?.slice(1) ?? [];
    if (i === 0 && latitude !== undefined && longitude !== undefined) setTexts([latitude, longitude, texts[2] ?? '']);
    else setTexts(texts.map((before, place) => (place === i ? text : before)));
  };
  return (
    <form
      className="p-3"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (circle === null) return;
        onChange({ [near]: `${circle.latitude},${circle.longitude},${circle.km}`, [box]: undefined });
        onDone();
      }}
    >
      <div className="grid grid-cols-3 gap-2">
        {parts.map((part, i) => (
          <label key={part} className="min-w-0 text-label text-quiet">
            {part}
            <input
              inputMode={i === 2 ? 'decimal' : 'text'}
              autoComplete="off"
              value={texts[i]}
              aria-invalid={isWrong}
              aria-describedby={`${id}-note`}
              onChange={({ target }) => change(i, target.value)}
              className="mt-1 h-9 w-full rounded-control border border-line bg-canvas px-2 text-ink tabular-nums aria-invalid:border-danger pointer-coarse:h-11"
            />
          </label>
        ))}
      </div>
      <div className="mt-2.5 flex items-center justify-between gap-3">
        <Note id={`${id}-note`} wrong={isWrong} />
        <Button type="submit">Apply</Button>
      </div>
    </form>
  );
}

/** What is wrong, or where an area is chosen by eye. */
const Note = ({ id, wrong }: { id: string; wrong: boolean }) =>
  wrong ? (
    <p id={id} role="alert" className="text-xs text-danger">
      Degrees, such as 53.55 and 9.99.
    </p>
  ) : (
    <p id={id} className="text-xs text-quiet">
      <Link to={paths.map} className="underline hover:text-ink">
        Choose it on the map
      </Link>
    </p>
  );
