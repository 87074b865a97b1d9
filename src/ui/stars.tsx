import { Star } from 'lucide-react';

/** How many stars something has, where it has some. */
export const StarCount = ({ value }: { value: number }) =>
  value === 0 ? null : (
    <span
      role="img"
      aria-label={describeStars(value)}
      title={describeStars(value)}
      className="flex shrink-0 text-quiet"
    >
      {Array.from({ length: value }, (_, i) => (
        <Star key={i} className="size-3 fill-current" aria-hidden />
      ))}
    </span>
  );

/** A rating in words. */
export const describeStars = (value: number): string =>
  value === 0 ? 'Not rated' : `${value} ${value === 1 ? 'star' : 'stars'}`;
