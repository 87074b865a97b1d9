import { ArrowUpDown } from 'lucide-react';
import { orders, type SortName } from '../../../contract/fields.ts';
import type { MenuEntry } from '../../ui/popup-menu.tsx';
import { MenuButton } from './menu-button.tsx';

/** The choice of the order of a list, for a menu. */
export const sortEntry = (value: SortName, onChange: (value: SortName) => void): MenuEntry => ({
  kind: 'choice',
  label: 'Sort',
  value,
  options: orders,
  onChange: (chosen) => onChange(chosen as SortName),
});

/** The order of a list, by its name. */
export function SortMenu({ value, onChange }: { value: SortName; onChange: (value: SortName) => void }) {
  const text = orders.find((order) => order.value === value)?.text ?? '';
  return <MenuButton label={`Sort: ${text}`} icon={ArrowUpDown} text={text} entries={[sortEntry(value, onChange)]} />;
}
