import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Merge, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { type Group, groupRequests, tagsOptions } from '../../api/item-groups.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { shownInForm } from '../../api/request.ts';
import { countItems } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Panel, PanelList } from '../../ui/panel.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.ts';
import { DeleteGroup } from './delete-group.tsx';
import { GroupDialog } from './group-dialog.tsx';

/** Which dialog is open, and for which tag. */
type Open = { dialog: 'new' } | { dialog: 'rename' | 'merge'; tag: Group };

/** Tags: list, create, rename, merge, delete. */
export function TagsPanel() {
  const tags = useQuery(tagsOptions);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  return (
    <Panel
      title="Tags"
      description="Words that items are found by. An item may have many."
      action={
        <Button onClick={() => setOpen({ dialog: 'new' })}>
          <Plus aria-hidden />
          New tag
        </Button>
      }
    >
      <PanelList list={tags} label="Tags" empty="There are none yet.">
        {(tag) => (
          <TagRow
            key={tag.id}
            tag={tag}
            onRename={() => setOpen({ dialog: 'rename', tag })}
            onMerge={(tags.data?.length ?? 0) > 1 ? () => setOpen({ dialog: 'merge', tag }) : null}
          />
        )}
      </PanelList>
      {open?.dialog === 'new' ? <GroupDialog kind="tags" onClose={close} /> : null}
      {open?.dialog === 'rename' ? <GroupDialog kind="tags" group={open.tag} onClose={close} /> : null}
      {open?.dialog === 'merge' ? <MergeDialog tag={open.tag} tags={tags.data ?? []} onClose={close} /> : null}
    </Panel>
  );
}

const TagRow = ({ tag, onRename, onMerge }: { tag: Group; onRename: () => void; onMerge: (() => void) | null }) => (
  <li className="flex items-center gap-1 py-2.5">
    <div className="min-w-0 flex-1">
      <p className="truncate font-medium">{tag.name}</p>
      <p className="text-xs text-quiet">{countItems(tag.media_count)}</p>
    </div>
    <IconButton icon={Pencil} label={`Rename ${tag.name}`} title="Rename" onClick={onRename} />
    {onMerge ? (
      <IconButton icon={Merge} label={`Merge ${tag.name}`} title="Merge into another" onClick={onMerge} />
    ) : null}
    <DeleteGroup
      kind="tags"
      group={tag}
      trigger={<IconButton icon={Trash2} label={`Delete ${tag.name}`} title="Delete" />}
    />
  </li>
);

/** Gives the items of a tag another one instead. */
function MergeDialog({ tag, tags, onClose }: { tag: Group; tags: Group[]; onClose: () => void }) {
  const client = useQueryClient();
  const others = tags.filter(({ id }) => id !== tag.id);
  const [into, setInto] = useState(others[0]?.id ?? '');
  const merge = useMutation({
    meta: shownInForm,
    mutationFn: () => groupRequests.tags.merge(tag.id, into),
    onSuccess: async ({ data }) => {
      await reloadMedia(client);
      onClose();
      toast.success(`${tag.name} was merged into ${data.name}.`);
    },
  });
  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Merge ${tag.name}`}
      description={`Its ${countItems(tag.media_count)} ${tag.media_count === 1 ? 'gets' : 'get'} the other tag, and ${tag.name} is deleted. This cannot be undone.`}
      submit="Merge"
      busy={merge.isPending}
      error={merge.error}
      onSubmit={() => merge.mutate()}
    >
      <Select
        label="Into"
        value={into}
        options={others.map(({ id, name }) => ({ value: id, text: name }))}
        onChange={setInto}
      />
    </FormDialog>
  );
}
