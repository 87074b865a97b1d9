/** Classes of a menu that opens over the page, of an entry in it, and of a line that names a group of entries. */
export const menuLooks = {
  menu: 'z-50 max-h-[min(32rem,80dvh)] min-w-52 overflow-y-auto rounded-card border border-line bg-surface p-1.5 text-ink shadow-float',
  item: 'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-control px-2.5 outline-none select-none data-[disabled]:opacity-50 data-[highlighted]:bg-raised pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-quiet',
  /** One of a few short values side by side. */
  choice:
    'grid h-8 flex-1 cursor-pointer place-items-center rounded-control text-label tabular-nums outline-none data-[highlighted]:bg-raised data-[state=checked]:bg-accent-soft data-[state=checked]:text-accent pointer-coarse:h-11',
  label: 'px-2.5 pt-2 pb-1 text-xs font-medium text-quiet',
  separator: 'my-1.5 h-px bg-line',
};
