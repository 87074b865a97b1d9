import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type GroupKind, groupRequests } from '../../api/item-groups.ts';
import { reloadMedia } from '../../api/reload-media.ts';

/** Creates a collection or a tag. */
export function useCreateGroup(kind: GroupKind) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => groupRequests[kind].create(name),
    onSuccess: () => reloadMedia(client),
  });
}
