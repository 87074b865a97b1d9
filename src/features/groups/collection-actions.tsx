import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { Group } from '../../api/item-groups.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { DeleteGroup } from './delete-group.tsx';
import { GroupDialog } from './group-dialog.tsx';

/** Renames or deletes the collection that is shown. */
export function CollectionActions({ collection }: { collection: Group }) {
  const [renaming, setRenaming] = useState(false);
  const navigate = useNavigate();
  return (
    <>
      <Button size="small" onClick={() => setRenaming(true)}>
        <Pencil aria-hidden />
        Rename
      </Button>
      <DeleteGroup
        kind="collections"
        group={collection}
        onDeleted={() => navigate(paths.collections)}
        trigger={
          <Button size="small">
            <Trash2 aria-hidden />
            Delete
          </Button>
        }
      />
      {renaming ? <GroupDialog kind="collections" group={collection} onClose={() => setRenaming(false)} /> : null}
    </>
  );
}
