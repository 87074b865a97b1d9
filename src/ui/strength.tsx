import { clsx } from 'clsx';

/** From this score on a hit is a strong match: two kinds of evidence, or one that is nearly certain. */
export const strongFrom = 0.6;

/** Weak hits have scores below this, all others have this or more. */
export const clearFrom = 0.25;

const strengths = {
  strong: { bars: 3, text: 'Strong match' },
  good: { bars: 2, text: 'Good match' },
  weak: { bars: 1, text: 'Weak match' },
};

/** What a search says of how well a hit matches; a clip that no search gave a score has neither. */
type Match = { score?: number; weak?: boolean };

/** How well a hit matches, in words that people compare: strong, good or weak. Null for a clip that no search gave a score. */
export function strengthOf({ score, weak }: Match): (typeof strengths)[keyof typeof strengths] | null {
  if (score === undefined || weak === undefined) return null;
  if (weak) return strengths.weak;
  return score >= strongFrom ? strengths.strong : strengths.good;
}

const heights = ['h-1.5', 'h-2.5', 'h-3.5'];

/** Three bars, filled as far as a hit matches, in the colour of the text around them. What they say stands beside them for those who listen. */
export const StrengthBars = ({ hit, className }: { hit: Match; className?: string }) => {
  const strength = strengthOf(hit);
  return strength ? (
    <span title={strength.text} className={clsx('inline-flex shrink-0 items-end gap-0.5', className)} aria-hidden>
      {heights.map((height, i) => (
        <span key={height} className={clsx('w-1 rounded-xs bg-current', height, i >= strength.bars && 'opacity-35')} />
      ))}
    </span>
  ) : null;
};
