import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import {
  listLostMediaOptions,
  listLostMediaQueryKey,
  restoreLostMediaMutation,
} from '../../api/generated/dashboard/index.ts';
import { mediaKeys } from '../../api/queries.ts';
import { formatBytes, formatDate } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { toast } from '../../ui/toast.ts';

/** Files of the workspace that the catalog does not list any more, with the way back; nothing where there are none. */
export function LostMediaPanel() {
  const client = useQueryClient();
  const lost = useQuery({ ...listLostMediaOptions(), select: ({ data }) => data });
  const restore = useMutation({
    ...restoreLostMediaMutation(),
    onSuccess: async ({ data: { duplicate } }) => {
      const keys = [listLostMediaQueryKey(), ...mediaKeys];
      await Promise.all(keys.map((key) => client.invalidateQueries({ queryKey: key })));
      toast.success(
        duplicate ? 'This file is already in your library.' : 'The file was restored and is being processed.',
      );
    },
  });
  if (!lost.data || lost.data.length === 0) return null;
  return (
    <Panel
      title="Lost and found"
      description="These files are on the server but missing from the library. Restore those that you want to keep."
    >
      <ul className="divide-y divide-line" aria-label="Lost files">
        {lost.data.map(({ id, filename, size, found_at, removed_at }) => (
          <li key={id} className="flex items-center gap-3 py-2.5">
            <div className="min-w-0 flex-1">
              <p className="truncate font-medium">{filename ?? `File ${id}`}</p>
              <p className="text-xs text-quiet">
                {formatBytes(size)} · found {formatDate(found_at)} · kept until {formatDate(removed_at)}
              </p>
            </div>
            <Button
              aria-label={`Restore ${filename ?? id}`}
              disabled={restore.isPending}
              onClick={() => restore.mutate({ path: { id } })}
            >
              <Undo2 aria-hidden />
              Restore
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
