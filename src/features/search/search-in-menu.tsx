import { clsx } from 'clsx';
import { AudioLines, Check, ChevronDown, Image, type LucideIcon, ScanText, Tag, X } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useRef } from 'react';
import {
  isSearched,
  readSearchIn,
  type SearchPlace,
  searchPlaces,
  togglePlace,
  writeSearchIn,
} from '../../lib/search-in.ts';
import { Button } from '../../ui/button.tsx';
import { menuLooks } from '../../ui/menu-item.ts';

const icons: Record<SearchPlace['id'], LucideIcon> = {
  pictures: Image,
  speech: AudioLines,
  'on-screen-text': ScanText,
  names: Tag,
};

/** What words are looked for in: a menu, and beside it what the search is limited to. */
export function SearchInMenu({
  searchedIn,
  onChange,
}: {
  /** As the address has it; without it everything is searched. */
  searchedIn: string | null | undefined;
  onChange: (searchedIn: string | undefined) => void;
}) {
  const trigger = useRef<HTMLButtonElement>(null);
  const sources = readSearchIn(searchedIn);
  const toggle = (place: SearchPlace) => onChange(writeSearchIn(togglePlace(place, sources)));
  return (
    <>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger asChild>
          <Button ref={trigger} size="small" variant={sources.length === 0 ? 'secondary' : 'pressed'}>
            {sources.length === 0 ? 'Search in everything' : 'Search in'}
            <ChevronDown aria-hidden />
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="start"
            sideOffset={6}
            collisionPadding={12}
            className="z-50 w-60 max-w-[calc(100vw-1.5rem)] rounded-card border border-line bg-surface p-1 shadow-float"
          >
            <Entry text="Everything" checked={sources.length === 0} onToggle={() => onChange(undefined)} />
            <DropdownMenu.Separator className="my-1 h-px bg-line" />
            {searchPlaces.map((place) => (
              <Entry
                key={place.id}
                icon={icons[place.id]}
                text={place.text}
                checked={isSearched(place, sources)}
                onToggle={() => toggle(place)}
              />
            ))}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {searchPlaces.map((place) =>
        isSearched(place, sources) ? (
          <Button
            key={place.id}
            size="small"
            variant="pressed"
            aria-label={`Do not search in ${place.text.toLowerCase()}`}
            onClick={() => {
              toggle(place);
              // This button goes away.
              trigger.current?.focus();
            }}
          >
            {place.text}
            <X aria-hidden />
          </Button>
        ) : null,
      )}
    </>
  );
}

/** An entry of the menu, which stays open: several can be chosen. */
const Entry = ({
  icon: Icon,
  text,
  checked,
  onToggle,
}: {
  icon?: LucideIcon;
  text: string;
  checked: boolean;
  onToggle: () => void;
}) => (
  <DropdownMenu.CheckboxItem
    checked={checked}
    onCheckedChange={onToggle}
    onSelect={(event) => event.preventDefault()}
    className={clsx(menuLooks.item, checked && 'text-accent')}
  >
    {Icon ? <Icon className="size-4 shrink-0 text-quiet" aria-hidden /> : <span className="size-4" />}
    <span className="min-w-0 flex-1">{text}</span>
    <DropdownMenu.ItemIndicator>
      <Check className="size-4" aria-hidden />
    </DropdownMenu.ItemIndicator>
  </DropdownMenu.CheckboxItem>
);
