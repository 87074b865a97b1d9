import { CalendarDays, Grid2x2, Grid3x3, Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useNavigation } from 'react-router';
import { orders } from '../../../contract/fields.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ControlRow } from '../../ui/control-row.tsx';
import { Select } from '../../ui/select.tsx';
import { ItemFilters } from './item-filters.tsx';
import { readDensity, readFilter, readGrouping, sortChange } from './library-search.ts';

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
        onChange={(value) => onChange(sortChange(value))}
        className="shrink-0"
      />
      <ViewButtons search={search} onChange={onChange} />
    </ControlRow>
  );
}

/** How the items are laid out: by month or not, and how large their images are. */
function ViewButtons({ search, onChange }: { search: URLSearchParams; onChange: Change }) {
  const grouped = readGrouping(search);
  const density = readDensity(search);
  const DensityIcon = density === 'compact' ? Grid2x2 : Grid3x3;
  const densityText = density === 'compact' ? 'Larger images' : 'Smaller images';
  return (
    <>
      <Button
        variant={grouped ? 'pressed' : 'quiet'}
        size="smallIcon"
        aria-label="Group by month"
        title="Group by month"
        aria-pressed={grouped}
        onClick={() => onChange({ view: grouped ? undefined : 'months' })}
      >
        <CalendarDays aria-hidden />
      </Button>
      <IconButton
        icon={DensityIcon}
        label={densityText}
        size="smallIcon"
        onClick={() => onChange({ density: density === 'compact' ? undefined : 'compact' }, { replace: true })}
      />
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
