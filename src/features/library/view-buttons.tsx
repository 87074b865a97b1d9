import { CalendarDays, Grid2x2, Grid3x3 } from 'lucide-react';
import { Button, IconButton } from '../../ui/button.tsx';
import { readDensity, readGrouping } from './library-search.ts';

type Change = (changes: Record<string, string | undefined>, how?: { replace: boolean }) => void;

/** How the items are laid out: by month or not, and how large their images are. */
export function ViewButtons({ search, onChange }: { search: URLSearchParams; onChange: Change }) {
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
