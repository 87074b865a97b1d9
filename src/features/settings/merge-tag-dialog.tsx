import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { groupRequests } from '../../api/item-groups.ts';
import { labelRequests } from '../../api/label-requests.ts';
import type { Label } from '../../api/labels.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { shownInForm } from '../../api/request.ts';
import { countItems } from '../../lib/format.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LabelPicker } from '../../ui/label-picker.tsx';
import { toast } from '../../ui/toast.ts';

/** Gives the items of a tag another one instead. */
export function MergeTagDialog({ tag, tags, onClose }: { tag: Label; tags: Label[]; onClose: () => void }) {
  const client = useQueryClient();
  const others = tags.filter(({ id }) => id !== tag.id);
  const [into, setInto] = useState<string | null>(others[0]?.id ?? null);
  const merge = useMutation({
    meta: shownInForm,
    mutationFn: () => groupRequests.tags.merge(tag.id, into ?? ''),
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
      <LabelPicker
        label="Into"
        names={labelRequests.tag.names}
        value={into}
        none={null}
        options={others.map(({ id, name, media_count: count }) => ({ id, name, count }))}
        onChange={setInto}
      />
    </FormDialog>
  );
}
