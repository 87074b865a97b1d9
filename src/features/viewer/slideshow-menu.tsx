import { Play } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { menuLooks } from '../../ui/menu-item.ts';
import { intervals, useInterval } from './use-slideshow.ts';

/** Entries of a menu: starts the slideshow, and how long it shows each photograph. */
export function SlideshowMenu({ onStart }: { onStart: () => void }) {
  const [seconds, choose] = useInterval();
  return (
    <>
      <DropdownMenu.Separator className={menuLooks.separator} />
      <DropdownMenu.Item className={menuLooks.item} onSelect={onStart}>
        <Play aria-hidden />
        Slideshow
        <kbd className="ml-auto pl-4 font-sans text-xs text-quiet pointer-coarse:hidden">S</kbd>
      </DropdownMenu.Item>
      <DropdownMenu.RadioGroup
        aria-label="Seconds for each photo"
        value={String(seconds)}
        onValueChange={(value) => choose(Number(value))}
      >
        <DropdownMenu.Label className={menuLooks.label}>Seconds for each photo</DropdownMenu.Label>
        <div className="flex gap-1 px-1.5 pb-1">
          {intervals.map((interval) => (
            <DropdownMenu.RadioItem
              key={interval}
              value={String(interval)}
              aria-label={`${interval} seconds`}
              // The menu stays, to start it.
              onSelect={(event) => event.preventDefault()}
              className={menuLooks.choice}
            >
              {interval}
            </DropdownMenu.RadioItem>
          ))}
        </div>
      </DropdownMenu.RadioGroup>
    </>
  );
}
