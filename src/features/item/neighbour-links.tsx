import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { formatCount } from '../../lib/format.ts';
import { useKeys } from '../../lib/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import type { Neighbour, Neighbours } from './use-neighbours.ts';

/** The ways to the items before and after this one in a list, by the keys `[` and `]` as well. Back leads to the list from each. */
export function NeighbourLinks({ neighbours }: { neighbours: Neighbours }) {
  const { previous, next, place, total } = neighbours;
  const navigate = useNavigate();
  const go = (neighbour: Neighbour | null) =>
    neighbour && void navigate(neighbour.to, { replace: true, state: neighbour.state });
  useKeys({ '[': () => go(previous), ']': () => go(next) });
  return (
    <nav aria-label="Items of the list" className="ml-auto flex shrink-0 items-center">
      <NeighbourLink label="Previous item" keyName="[" neighbour={previous}>
        <ChevronLeft aria-hidden />
      </NeighbourLink>
      <span className="px-1 text-label whitespace-nowrap text-quiet tabular-nums max-sm:sr-only">
        {formatCount(place)} of {formatCount(total)}
      </span>
      <NeighbourLink label="Next item" keyName="]" neighbour={next}>
        <ChevronRight aria-hidden />
      </NeighbourLink>
    </nav>
  );
}

function NeighbourLink({
  label,
  keyName,
  neighbour,
  children,
}: {
  label: string;
  keyName: string;
  neighbour: Neighbour | null;
  children: ReactNode;
}) {
  const look = { variant: 'quiet', size: 'icon', className: 'max-sm:size-11', 'aria-label': label } as const;
  if (!neighbour) {
    return (
      <Button {...look} disabled>
        {children}
      </Button>
    );
  }
  return (
    <Button {...look} asChild title={`${label} (${keyName})`}>
      <Link to={neighbour.to} state={neighbour.state} replace>
        {children}
      </Link>
    </Button>
  );
}
