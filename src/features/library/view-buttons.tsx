import { CalendarDays, LayoutGrid, List, type LucideIcon } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { useGridSize } from './grid-size.ts';
import { libraryViews, type LibraryView } from './library-search.ts';
import { SizeSlider } from './size-slider.tsx';

/** What the views are called. */
export const viewLooks: Record<LibraryView, { text: string; icon: LucideIcon }> = {
  grid: { text: 'Pictures', icon: LayoutGrid },
  months: { text: 'By month', icon: CalendarDays },
  list: { text: 'List', icon: List },
};

/** How the items are laid out, and how large their pictures are. */
export function ViewButtons({ value, onChange }: { value: LibraryView; onChange: (view: LibraryView) => void }) {
  const [size, setSize] = useGridSize();
  return (
    <>
      <span role="group" aria-label="View" className="flex shrink-0 gap-0.5">
        {libraryViews.map((view) => {
          const { text, icon: Icon } = viewLooks[view];
          return (
            <Button
              key={view}
              variant={view === value ? 'pressed' : 'quiet'}
              size="smallIcon"
              aria-label={text}
              title={text}
              aria-pressed={view === value}
              onClick={() => onChange(view)}
            >
              <Icon aria-hidden />
            </Button>
          );
        })}
      </span>
      {/* Its room stays, so that the buttons do, and two fingers change the size where there is none. */}
      <span className={value === 'list' ? 'invisible max-lg:hidden' : 'max-lg:hidden'}>
        <SizeSlider value={size} onChange={setSize} />
      </span>
    </>
  );
}
