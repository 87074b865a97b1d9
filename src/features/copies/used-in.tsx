import { useQuery } from '@tanstack/react-query';
import { copiesOptions } from '../../api/copies.ts';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { CopyRows } from './copy-rows.tsx';

/** Where an item is used again; nothing where it is not, or while that is read: few items are. */
export function UsedIn({ item }: { item: MediaItem }) {
  const copies = useQuery({ ...copiesOptions(item.id), enabled: item.status === 'complete', retry: false });
  if (!copies.data || copies.data.data.length === 0) return null;
  return (
    <section aria-label="Also used in" className="mt-5 border-t border-line pt-4">
      <h3 className="mb-3 font-semibold">Also used in</h3>
      <CopyRows item={item} copies={copies.data.data} label="Items that show the same" />
    </section>
  );
}
