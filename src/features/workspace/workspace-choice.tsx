import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Session, switchWorkspaceMutation } from '../../api/generated/dashboard/index.ts';
import { adoptSession, forgetOtherQueries } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { Select } from '../../ui/select.tsx';

/** Another of the workspaces that a person belongs to. What is shown belongs to this one, so the dashboard begins again. */
export function WorkspaceChoice({ session: { workspace, workspaces } }: { session: Session }) {
  const client = useQueryClient();
  const change = useMutation({
    ...switchWorkspaceMutation(),
    onSuccess: async ({ data: session }) => {
      await adoptSession(client, session);
      forgetOtherQueries(client);
      window.location.assign(paths.library);
    },
  });
  return (
    <Select
      hideLabel
      label="Workspace"
      value={workspace.id}
      options={workspaces.map(({ id, name }) => ({ value: id, text: name }))}
      disabled={change.isPending}
      onChange={(id) => change.mutate({ body: { workspace_id: id } })}
      className="px-1 pb-2"
      triggerClassName="w-full max-w-full"
    />
  );
}
