import { Command } from 'cmdk';
import {
  BookOpen,
  FolderCog,
  FolderUp,
  History,
  LayoutGrid,
  type LucideIcon,
  Moon,
  Search,
  Sparkles,
  Sun,
  Upload,
} from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useRecentSearches } from '../../lib/recent-searches.ts';
import { useTheme } from '../../lib/theme.ts';
import { paths } from '../../paths.ts';

const settings = ['API keys', 'Members', 'Categories', 'Creators', 'Workspace', 'Profile', 'Connection'];

/** Everything one can do, found by typing a part of its name; what is no command is searched for. */
export function CommandPalette({
  onClose,
  chooseFiles,
  chooseFolder,
}: {
  onClose: () => void;
  chooseFiles: () => void;
  chooseFolder: () => void;
}) {
  const navigate = useNavigate();
  const [, setTheme] = useTheme();
  const [text, setText] = useState('');
  const [recent] = useRecentSearches();
  const go = (to: string) => () => void navigate(to);
  const run = (command: () => void) => () => {
    onClose();
    command();
  };
  return (
    <Command.Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      label="Commands"
      overlayClassName="fixed inset-0 z-50 bg-black/50"
      contentClassName="fixed top-[12dvh] left-1/2 z-50 w-[min(34rem,calc(100vw-2rem))] -translate-x-1/2 overflow-hidden rounded-card border border-line bg-surface shadow-float"
    >
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder="Go to, change, or search for…"
        className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none placeholder:text-quiet"
      />
      <Command.List className="max-h-[50dvh] overflow-y-auto p-2 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-quiet">
        <Command.Group heading="Go to">
          <Item icon={LayoutGrid} onSelect={run(go(paths.library))}>
            Library
          </Item>
          <Item icon={Search} onSelect={run(go(paths.search))}>
            Search
          </Item>
          <Item icon={Sparkles} onSelect={run(go(paths.highlights))}>
            Highlights
          </Item>
          <Item icon={LayoutGrid} onSelect={run(go(paths.workspace))}>
            Plan and usage
          </Item>
          {settings.map((name) => (
            <Item key={name} icon={FolderCog} onSelect={run(go(paths.settings(name.toLowerCase().replace(' ', '-'))))}>
              {`Settings: ${name}`}
            </Item>
          ))}
          <Item icon={BookOpen} onSelect={run(() => window.location.assign('/reference'))}>
            API reference
          </Item>
        </Command.Group>
        <Command.Group heading="Do">
          <Item icon={Upload} onSelect={run(chooseFiles)}>
            Upload files
          </Item>
          <Item icon={FolderUp} onSelect={run(chooseFolder)}>
            Upload a folder
          </Item>
          <Item icon={Sun} onSelect={run(() => setTheme('light'))}>
            Theme: light
          </Item>
          <Item icon={Moon} onSelect={run(() => setTheme('dark'))}>
            Theme: dark
          </Item>
          <Item icon={Sun} onSelect={run(() => setTheme('system'))}>
            Theme: as the system
          </Item>
        </Command.Group>
        {recent.length > 0 ? (
          <Command.Group heading="Search again">
            {recent.slice(0, 5).map((query) => (
              <Item
                key={query}
                icon={History}
                value={`search again ${query}`}
                onSelect={run(go(paths.searchFor(query)))}
              >
                {query}
              </Item>
            ))}
          </Command.Group>
        ) : null}
        {text.trim() === '' ? null : (
          <Item value="search" icon={Search} forceMount onSelect={run(go(paths.searchFor(text.trim())))}>
            {`Search for “${text.trim()}”`}
          </Item>
        )}
      </Command.List>
    </Command.Dialog>
  );
}

function Item({
  icon: Icon,
  children,
  ...props
}: {
  icon: LucideIcon;
  onSelect: () => void;
  /** What is typed is compared with it; the text where there is none. */
  value?: string;
  /** Stays whatever is typed. */
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
