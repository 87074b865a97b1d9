import { useQuery } from '@tanstack/react-query';
import { Command, useCommandState } from 'cmdk';
import {
  Bookmark,
  BookOpen,
  Code,
  FolderCog,
  FolderOpen,
  FolderUp,
  Globe,
  History,
  type LucideIcon,
  Moon,
  Search,
  Sun,
  Upload,
} from 'lucide-react';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { useGroups } from '../../api/item-groups.ts';
import { savedSearchesOptions } from '../../api/saved-searches.ts';
import { useDeveloperMode } from '../../lib/developer-mode.ts';
import { useRecentSearches } from '../../lib/recent-searches.ts';
import { useTheme } from '../../lib/theme.ts';
import { destinations, settingsSections } from '../../navigation.ts';
import { paths } from '../../paths.ts';

/** Closes the palette, then runs the command. */
type Run = (command: () => void) => () => void;

type Choosers = { chooseFiles: () => void; chooseFolder: () => void; addByAddress: () => void };

/** Every page and action, found by typing a part of its name; any other text can be searched for. */
export function CommandPalette({ onClose, ...choosers }: { onClose: () => void } & Choosers) {
  const [text, setText] = useState('');
  useReturnToOpener();
  const run: Run = (command) => () => {
    onClose();
    command();
  };
  return (
    <Command.Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      label="Commands"
      overlayClassName="dialog-overlay z-50"
      contentClassName="fixed top-[12dvh] left-1/2 z-50 w-[min(34rem,calc(100vw-2rem))] -translate-x-1/2 overflow-hidden rounded-card border border-line bg-surface shadow-float"
    >
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder="Search, or run a command…"
        className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none placeholder:text-quiet"
      />
      <Command.List className="max-h-[50dvh] overflow-y-auto p-2 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-quiet">
        <Pages run={run} />
        <Collections run={run} />
        <Actions run={run} {...choosers} />
        <SavedSearches run={run} />
        <Searches run={run} text={text.trim()} />
      </Command.List>
    </Command.Dialog>
  );
}

/** Gives the focus back to what had it before the palette opened, unless the command has moved it. */
function useReturnToOpener(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      setTimeout(() => {
        if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
      });
    },
    [opener],
  );
}

function Pages({ run }: { run: Run }) {
  const navigate = useNavigate();
  const go = (to: string) => run(() => void navigate(to));
  return (
    <Command.Group heading="Go to">
      {destinations.map(({ to, command, ...entry }) => {
        if (command === null) return null;
        const { text, icon } = command ?? entry;
        return (
          <Item key={to} icon={icon} onSelect={go(to)}>
            {text}
          </Item>
        );
      })}
      {settingsSections.map(({ id, text }) => (
        <Item key={id} icon={FolderCog} onSelect={go(paths.settings(id))}>
          {`Settings: ${text}`}
        </Item>
      ))}
      <Item icon={BookOpen} onSelect={run(() => window.location.assign('/reference'))}>
        API reference
      </Item>
    </Command.Group>
  );
}

/** Collections are many: they are listed as far as they match what is typed. */
function Collections({ run }: { run: Run }) {
  const navigate = useNavigate();
  const text = useCommandState(({ search }) => search.trim().toLowerCase());
  const collections = useGroups('collections');
  if (text === '') return null;
  return (
    <Command.Group heading="Collections">
      {collections
        .filter(({ name }) => name.toLowerCase().includes(text))
        .slice(0, 8)
        .map(({ id, name }) => (
          <Item
            key={id}
            icon={FolderOpen}
            value={`collection ${id} ${name}`}
            onSelect={run(() => void navigate(paths.collection(id)))}
          >
            {name}
          </Item>
        ))}
    </Command.Group>
  );
}

function Actions({ run, chooseFiles, chooseFolder, addByAddress }: { run: Run } & Choosers) {
  const [, setTheme] = useTheme();
  const [developer, setDeveloper] = useDeveloperMode();
  return (
    <Command.Group heading="Actions">
      <Item icon={Upload} onSelect={run(chooseFiles)}>
        Upload files
      </Item>
      <Item icon={FolderUp} onSelect={run(chooseFolder)}>
        Upload a folder
      </Item>
      <Item icon={Globe} onSelect={run(addByAddress)}>
        Add by address
      </Item>
      <Item icon={Code} onSelect={run(() => setDeveloper(!developer))}>
        {developer ? 'Turn off developer mode' : 'Turn on developer mode'}
      </Item>
      <Item icon={Sun} onSelect={run(() => setTheme('light'))}>
        Theme: Light
      </Item>
      <Item icon={Moon} onSelect={run(() => setTheme('dark'))}>
        Theme: Dark
      </Item>
      <Item icon={Sun} onSelect={run(() => setTheme('system'))}>
        Theme: System
      </Item>
    </Command.Group>
  );
}

function SavedSearches({ run }: { run: Run }) {
  const navigate = useNavigate();
  const { data = [] } = useQuery(savedSearchesOptions);
  if (data.length === 0) return null;
  return (
    <Command.Group heading="Saved searches">
      {data.map((saved) => (
        <Item
          key={saved.id}
          icon={Bookmark}
          value={`saved search ${saved.name}`}
          onSelect={run(() => void navigate(paths.saved(saved)))}
        >
          {saved.name}
        </Item>
      ))}
    </Command.Group>
  );
}

/** The last searches, and a search for the text that is typed. */
function Searches({ run, text }: { run: Run; text: string }) {
  const navigate = useNavigate();
  const [recent] = useRecentSearches();
  const search = (query: string) => run(() => void navigate(paths.searchFor(query)));
  return (
    <>
      {recent.length > 0 ? (
        <Command.Group heading="Recent searches">
          {recent.slice(0, 5).map((query) => (
            <Item key={query} icon={History} value={`search again ${query}`} onSelect={search(query)}>
              {query}
            </Item>
          ))}
        </Command.Group>
      ) : null}
      {text === '' ? null : (
        <Item value="search" icon={Search} forceMount onSelect={search(text)}>
          {`Search for “${text}”`}
        </Item>
      )}
    </>
  );
}

function Item({
  icon: Icon,
  children,
  ...props
}: {
  icon: LucideIcon;
  onSelect: () => void;
  /** Compared with the typed text; without it, the children are. */
  value?: string;
  /** Shown whatever is typed. */
  forceMount?: boolean;
  children: string;
}) {
  return (
    <Command.Item
      {...props}
      className="flex h-9 cursor-pointer items-center gap-3 rounded-control px-2 data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent"
    >
      <Icon className="size-4 opacity-70" aria-hidden />
      {children}
    </Command.Item>
  );
}
