import { CalendarDays, LayoutGrid, List, Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useNavigation } from 'react-router';
import { orders } from '../../../contract/fields.ts';
import { Button } from '../../ui/button.tsx';
import { ControlRow } from '../../ui/control-row.tsx';
import { Select } from '../../ui/select.tsx';
import { useGridSize } from './grid-size.ts';
import { ItemFilters } from './item-filters.tsx';
import { libraryViews, readFilter, readView, sortChange } from './library-search.ts';
import { SizeSlider } from './size-slider.tsx';

type Change = (changes: Record<string, string | undefined>, how?: { replace: boolean }) => void;

/**
 * The filters of the library, its sort order and the size of its images.
 * @param within whether one collection is shown
 */
export function LibraryFilters({
  search,
  within,
  onChange,
}: {
  search: URLSearchParams;
  within: boolean;
  onChange: Change;
}) {
  return (
    <ControlRow>
      <NameField name={search.get('name') ?? ''} onChange={onChange} />
      <ItemFilters listed search={search} except={within ? 'collection_id' : undefined} onChange={onChange} />
      <Select
        hideLabel
        label="Sort"
        value={readFilter(search).sort ?? '-created_at'}
        options={orders}
        onChange={(value) => onChange(sortChange(value, readView(search)))}
        className="shrink-0 [&>select]:field-sizing-content"
      />
      <ViewButtons search={search} onChange={onChange} />
    </ControlRow>
  );
}

const views = {
  grid: { text: 'Pictures', icon: LayoutGrid },
  months: { text: 'By month', icon: CalendarDays },
  list: { text: 'List', icon: List },
};

/** How the items are laid out, and how large their pictures are. */
function ViewButtons({ search, onChange }: { search: URLSearchParams; onChange: Change }) {
  const shown = readView(search);
  const [size, setSize] = useGridSize();
  return (
    <>
      <span role="group" aria-label="View" className="flex shrink-0 gap-0.5">
        {libraryViews.map((view) => {
          const { text, icon: Icon } = views[view];
          return (
            <Button
              key={view}
              variant={view === shown ? 'pressed' : 'quiet'}
              size="smallIcon"
              aria-label={text}
              title={text}
              aria-pressed={view === shown}
              onClick={() => onChange({ view: view === 'grid' ? undefined : view })}
            >
              <Icon aria-hidden />
            </Button>
          );
        })}
      </span>
      {shown === 'list' ? null : <SizeSlider value={size} onChange={setSize} />}
    </>
  );
}

/** Milliseconds between the last keystroke and the next request for the list. */
const typingPauseMs = 250;

function NameField({ name, onChange }: { name: string; onChange: Change }) {
  const [text, setText] = useState(name);
  const [shown, setShown] = useState(name);
  // Back, forward and the clearing of filters change it from outside.
  if (shown !== name) {
    setShown(name);
    if (text.trim() !== name) setText(name);
  }
  // Writing the address would cancel a navigation to a page that is still loading.
  const isGoing = useNavigation().state !== 'idle';
  useEffect(() => {
    if (text.trim() === name || isGoing) return undefined;
    const timer = setTimeout(() => onChange({ name: text.trim() }, { replace: true }), typingPauseMs);
    return () => clearTimeout(timer);
  }, [text, name, isGoing, onChange]);
  return (
    <div className="relative w-44 shrink-0">
      <Search
        className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-quiet"
        aria-hidden
      />
      <input
        type="search"
        aria-label="Filter by name"
        placeholder="Filter by name"
        value={text}
        maxLength={200}
        onChange={(event) => setText(event.target.value)}
        className="h-8 w-full rounded-control border border-line bg-surface pr-2 pl-8 text-label placeholder:text-quiet"
      />
    </div>
  );
}
