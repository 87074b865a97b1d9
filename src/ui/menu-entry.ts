import { clsx } from 'clsx';

/** Classes of an entry nested in the menu at the side, below the page that lists all of its kind. */
export const nestedEntry = (active: boolean): string =>
  clsx(
    'flex h-8 items-center gap-2 rounded-control pr-2 pl-9 text-label',
    active ? 'bg-accent-soft text-accent' : 'text-quiet hover:bg-raised hover:text-ink',
  );
