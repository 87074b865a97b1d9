import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { UserPlus, UserX, X } from 'lucide-react';
import { useState } from 'react';
import {
  changeRoleMutation,
  createInvitationMutation,
  type Invitation,
  listInvitationsOptions,
  listInvitationsQueryKey,
  listMembersOptions,
  listMembersQueryKey,
  type ListedMember,
  removeMemberMutation,
  revokeInvitationMutation,
} from '../../api/generated/dashboard/index.ts';
import { shownInForm } from '../../api/request.ts';
import { formatCount, formatDate } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Panel, PanelList } from '../../ui/panel.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.ts';

const roles = [
  { value: 'member', text: 'Member' },
  { value: 'owner', text: 'Owner' },
] as const;

/** The people of the workspace and, for owners, the invitations that are open. */
export function MembersPanel({ owner, personId }: { owner: boolean; personId: string }) {
  const members = useQuery({ ...listMembersOptions(), select: ({ data }) => data });
  return (
    <div className="space-y-5">
      <Panel
        title="Members"
        description="Members upload, search, organise and delete media. Owners also manage members and API keys."
        action={owner ? <InviteButton /> : null}
      >
        <PanelList list={members} label="Members">
          {(member) => <MemberRow key={member.id} member={member} owner={owner} self={member.id === personId} />}
        </PanelList>
      </Panel>
      {owner ? <Invitations /> : null}
    </div>
  );
}

function MemberRow({ member, owner, self }: { member: ListedMember; owner: boolean; self: boolean }) {
  const client = useQueryClient();
  const reload = () => client.invalidateQueries({ queryKey: listMembersQueryKey() });
  const change = useMutation({ ...changeRoleMutation(), onSettled: reload });
  const remove = useMutation({
    ...removeMemberMutation(),
    onSuccess: async () => {
      if (self) window.location.assign('/');
      else await reload();
    },
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-full sm:basis-56">
        <p className="truncate font-medium">
          {member.name} {self ? <span className="font-normal text-quiet">(you)</span> : null}
        </p>
        <p className="truncate text-xs text-quiet">
          {member.email ?? 'Signs in by link'} · joined {formatDate(member.joined_at)}
        </p>
      </div>
      {owner ? (
        <Select
          hideLabel
          label={`Role of ${member.name}`}
          value={member.role}
          options={roles}
          disabled={change.isPending}
          onChange={(role) => change.mutate({ path: { id: member.id }, body: { role } })}
        />
      ) : (
        <span className="text-quiet">{member.role === 'owner' ? 'Owner' : 'Member'}</span>
      )}
      {owner || self ? (
        <RemoveMember
          member={member}
          self={self}
          busy={remove.isPending}
          onRemove={(revoke) => remove.mutate({ path: { id: member.id }, query: revoke ? { revoke } : {} })}
        />
      ) : null}
    </li>
  );
}

/** Asks before a member is removed, and whether their API keys and webhooks are revoked as well. */
function RemoveMember({
  member: { name, api_keys, webhooks },
  self,
  busy,
  onRemove,
}: {
  member: ListedMember;
  self: boolean;
  busy: boolean;
  onRemove: (revoke: boolean) => void;
}) {
  const [revoke, setRevoke] = useState(true);
  const counted = (number: number, one: string) =>
    number === 0 ? [] : [`${formatCount(number)} ${one}${number === 1 ? '' : 's'}`];
  const made = [...counted(api_keys, 'API key'), ...counted(webhooks, 'webhook')].join(' and ');
  const isOffered = !self && made !== '';
  const label = self ? 'Leave the workspace' : `Remove ${name}`;
  return (
    <ConfirmDialog
      trigger={<IconButton icon={UserX} label={label} disabled={busy} />}
      title={self ? 'Leave this workspace?' : `Remove ${name}?`}
      confirm={self ? 'Leave' : 'Remove'}
      onConfirm={() => onRemove(isOffered && revoke)}
      choice={
        isOffered ? (
          <label className="mt-4 flex items-start gap-2">
            <input
              type="checkbox"
              checked={revoke}
              onChange={({ target }) => setRevoke(target.checked)}
              className="mt-0.5 size-4 shrink-0 accent-accent"
            />
            <span>
              Revoke {made} that {name} made. Programs that use them stop.
            </span>
          </label>
        ) : null
      }
    >
      {self
        ? 'You are signed out of it. To come back you need a new invitation.'
        : `${name} is signed out of this workspace, and invitations that they made stop working. API keys that they have seen go on working until they are rotated, public links until they are revoked.`}
    </ConfirmDialog>
  );
}

function Invitations() {
  const invitations = useQuery({ ...listInvitationsOptions(), select: ({ data }) => data });
  if (!invitations.data || invitations.data.length === 0) return null;
  return (
    <Panel title="Pending invitations" description="Each link works once and is shown only when it is created.">
      <ul className="divide-y divide-line">
        {invitations.data.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Panel>
  );
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const revoke = useMutation({ ...revokeInvitationMutation(), meta: { reload: [listInvitationsQueryKey()] } });
  return (
    <li className="flex items-center gap-4 py-2.5">
      <p className="min-w-0 flex-1">
        {invitation.role === 'owner' ? 'Owner' : 'Member'}, invited by {invitation.invited_by}
        <span className="block text-xs text-quiet">expires {formatDate(invitation.expires_at)}</span>
      </p>
      <IconButton
        icon={X}
        label="Revoke invitation"
        disabled={revoke.isPending}
        onClick={() => revoke.mutate({ path: { id: invitation.id } })}
      />
    </li>
  );
}

function InviteButton() {
  const [open, setOpen] = useState(false);
  const [role, setRole] = useState<'owner' | 'member'>('member');
  const invite = useMutation({
    ...createInvitationMutation(),
    meta: { ...shownInForm, reload: [listInvitationsQueryKey()] },
  });
  const url = invite.data?.data.url;
  return (
    <>
      <Button
        onClick={() => {
          invite.reset();
          setOpen(true);
        }}
      >
        <UserPlus aria-hidden />
        Invite
      </Button>
      <FormDialog
        open={open}
        onOpenChange={setOpen}
        title="Invite a member"
        description={
          url
            ? 'Send this link to one person. It is not shown again.'
            : 'Creates a link that works once, within 7 days.'
        }
        submit={url ? 'Done' : 'Create link'}
        busy={invite.isPending}
        error={invite.error}
        onSubmit={() => {
          if (url) {
            setOpen(false);
            toast.success('Invitation created. It is valid for 7 days.');
          } else invite.mutate({ body: { role } });
        }}
      >
        {url ? (
          <div className="flex items-center gap-2 rounded-control bg-raised py-1 pr-1 pl-3">
            <code className="min-w-0 flex-1 truncate text-xs" data-testid="invitation-link">
              {url}
            </code>
            <CopyButton label="Copy link" text={url} />
          </div>
        ) : (
          <Select label="Role" value={role} options={roles} onChange={setRole} />
        )}
      </FormDialog>
    </>
  );
}
