import { clsx } from 'clsx';
import { Star } from 'lucide-react';
import { describeStars } from './stars.tsx';

const most = 5;

/** A choice of none to five stars: pressing the star that is chosen takes all away. */
export function StarChoice({
  label,
  value,
  onChange,
  disabled = false,
}: {
  label: string;
  value: number;
  onChange: (stars: number) => void;
  disabled?: boolean;
}) {
  return (
    <div role="group" aria-label={label} className="flex">
      {Array.from({ length: most }, (_, i) => i + 1).map((stars) => (
        <button
          key={stars}
          type="button"
          disabled={disabled}
          aria-label={describeStars(stars)}
          aria-pressed={stars === value}
          aria-keyshortcuts={String(stars)}
          title={stars === value ? 'Remove the rating (0)' : `${describeStars(stars)} (${stars})`}
          onClick={() => onChange(stars === value ? 0 : stars)}
          className="grid size-8 place-items-center rounded-control transition-colors hover:bg-raised pointer-coarse:size-10"
        >
          <Star className={clsx('size-4.5', stars <= value ? 'fill-current text-accent' : 'text-quiet')} aria-hidden />
        </button>
      ))}
    </div>
  );
}
