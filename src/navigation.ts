import {
  Bookmark,
  Copy,
  FolderOpen,
  Gauge,
  LayoutGrid,
  type LucideIcon,
  MapPinned,
  Search,
  Settings,
  Sparkles,
  Trash2,
} from 'lucide-react';
import { paths } from './paths.ts';

type Destination = {
  to: string;
  text: string;
  icon: LucideIcon;
  /** Whether a phone shows it in the sheet More: the foot of its screen has room for four, and for More. */
  more?: true;
  /** What the command palette shows instead; null where it leads straight to the parts of the page. */
  command?: { text: string; icon: LucideIcon } | null;
};

/** The pages of the menu and of the command palette, in their order. */
export const destinations: Destination[] = [
  { to: paths.library, text: 'Library', icon: LayoutGrid },
  { to: paths.search, text: 'Search', icon: Search },
  { to: paths.savedSearches, text: 'Saved searches', icon: Bookmark, more: true },
  { to: paths.collections, text: 'Collections', icon: FolderOpen },
  { to: paths.highlights, text: 'Highlights', icon: Sparkles },
  { to: paths.map, text: 'Map', icon: MapPinned, more: true },
  {
    to: paths.workspace,
    text: 'Workspace',
    icon: Gauge,
    more: true,
    command: { text: 'Plan and usage', icon: LayoutGrid },
  },
  { to: paths.duplicates, text: 'Duplicates', icon: Copy, more: true },
  { to: paths.trash, text: 'Trash', icon: Trash2, more: true },
  { to: paths.settings(), text: 'Settings', icon: Settings, more: true, command: null },
];

/** The sections of the settings in their groups, in the order of their menu and of the command palette. */
export const settingsSections = [
  { id: 'profile', text: 'Profile', group: 'Account' },
  { id: 'workspace', text: 'Workspace', group: 'Team' },
  { id: 'members', text: 'Members', group: 'Team' },
  { id: 'labels', text: 'Labels', group: 'Team' },
  { id: 'shared-links', text: 'Shared links', group: 'Team' },
  { id: 'sources', text: 'Sources', group: 'Team' },
  { id: 'api-keys', text: 'API keys', group: 'Developers' },
  { id: 'webhooks', text: 'Webhooks', group: 'Developers' },
  { id: 'connection', text: 'Connection', group: 'Developers' },
] as const;

export type SettingsSectionId = (typeof settingsSections)[number]['id'];
