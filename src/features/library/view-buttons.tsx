import { CalendarDays, LayoutGrid, List } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { useGridSize } from './grid-size.ts';
import { libraryViews, readView } from './library-search.ts';
import { SizeSlider } from './size-slider.tsx';

type Change = (changes: Record<string, string | undefined>, how?: { replace: boolean }) => void;

const views = {
  grid: { text: 'Pictures', icon: LayoutGrid },
  months: { text: 'By month', icon: CalendarDays },
  list: { text: 'List', icon: List },
};

/** How the items are laid out, and how large their pictures are. */
export function ViewButtons({ search, onChange }: { search: URLSearchParams; onChange: Change }) {
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
