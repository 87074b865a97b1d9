import { Image } from 'lucide-react';
import { gridSizes } from './row-height.ts';

/** Chooses how large the pictures of a grid are. */
export const SizeSlider = ({ value, onChange }: { value: number; onChange: (size: number) => void }) => (
  <span className="flex h-8 items-center gap-2 text-quiet pointer-coarse:h-11">
    <Image className="size-3" aria-hidden />
    <input
      type="range"
      aria-label="Size of pictures"
      aria-valuetext={describeSize(value)}
      title="Size of pictures"
      min={gridSizes.least}
      max={gridSizes.most}
      step={2}
      value={value}
      onChange={(event) => onChange(event.target.valueAsNumber)}
      className="h-full w-24 cursor-pointer accent-accent"
    />
    <Image className="size-4.5" aria-hidden />
  </span>
);

const names = ['Small', 'Medium', 'Large', 'Extra large'];

/** A size in words. */
function describeSize(size: number): string {
  const { least, most } = gridSizes;
  return names[Math.min(names.length - 1, Math.floor(((size - least) / (most - least)) * names.length))] ?? '';
}
