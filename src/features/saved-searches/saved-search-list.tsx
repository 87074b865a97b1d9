import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Link } from 'react-router';
import type { SavedSearch } from '../../api/generated/api/index.ts';
import { lazyPart } from '../../api/parts.ts';
import { savedSearchesOptions, savedSearchRequests } from '../../api/saved-searches.ts';
import { formatDate } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toast.ts';
import { NewMatches } from './new-matches.tsx';
import { NotifyBell } from './notify-bell.tsx';
import { useDescribeView } from './use-describe-view.ts';

const SavedSearchDialog = lazyPart(async () => (await import('./saved-search-dialog.tsx')).SavedSearchDialog);

/** Saved searches to open, rename and delete. */
export function SavedSearchList({ saved }: { saved: SavedSearch[] }) {
  const [renamed, setRenamed] = useState<SavedSearch | null>(null);
  const describe = useDescribeView();
  return (
    <>
      <ul aria-label="All saved searches" className="divide-y divide-line rounded-card border border-line bg-surface">
        {saved.map((one) => (
          <li key={one.id} className="flex items-center gap-1 py-2.5 pr-2 pl-4">
            <div className="min-w-0 flex-1">
              <span className="flex items-center gap-2">
                <Link to={paths.saved(one)} className="min-w-0 truncate font-medium hover:underline">
                  {one.name}
                </Link>
                <NewMatches saved={one} />
              </span>
              <p className="truncate text-label text-quiet">
                {describe(one)} · {formatDate(one.created_at)}
              </p>
            </div>
            <NotifyBell saved={one} />
            <IconButton icon={Pencil} label={`Rename ${one.name}`} title="Rename" onClick={() => setRenamed(one)} />
            <DeleteSavedSearch saved={one} />
          </li>
        ))}
      </ul>
      {renamed ? (
        <Suspense>
          <SavedSearchDialog what={{ saved: renamed }} onClose={() => setRenamed(null)} />
        </Suspense>
      ) : null}
    </>
  );
}

function DeleteSavedSearch({ saved }: { saved: SavedSearch }) {
  const client = useQueryClient();
  const removal = useMutation({
    mutationFn: () => savedSearchRequests.remove(saved.id),
    onSuccess: async () => {
      toast.success(`${saved.name} was deleted.`);
      await client.invalidateQueries({ queryKey: savedSearchesOptions.queryKey });
    },
  });
  return (
    <ConfirmDialog
      trigger={<IconButton icon={Trash2} label={`Delete ${saved.name}`} title="Delete" />}
      title={`Delete ${saved.name}?`}
      confirm="Delete"
      onConfirm={() => removal.mutate()}
    >
      It is deleted for everyone in this workspace. What it finds stays.
    </ConfirmDialog>
  );
}
