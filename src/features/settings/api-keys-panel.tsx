import { useMutation, useQuery } from '@tanstack/react-query';
import { KeyRound, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import {
  type ApiKey,
  createApiKeyMutation,
  listApiKeysOptions,
  listApiKeysQueryKey,
  revealApiKey,
  revokeApiKeyMutation,
  rotateApiKeyMutation,
} from '../../api/generated/dashboard/index.ts';
import { shownInForm } from '../../api/request.ts';
import { sessionOptions } from '../../api/session.ts';
import { formatDate } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Panel, PanelList } from '../../ui/panel.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { SecretButtons, useSecret } from './secret-buttons.tsx';

/** Whether a key is neither revoked nor expired. */
const works = ({ revoked_at, expires_at }: ApiKey): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now());

/** What a change of keys makes outdated; the session too, because the dashboard itself uses the newest key. */
const reload = [listApiKeysQueryKey(), sessionOptions.queryKey];

/** The workspace's keys. Members reveal and copy them; owners also create, rotate and revoke them. */
export function ApiKeysPanel({ owner }: { owner: boolean }) {
  const keys = useQuery({ ...listApiKeysOptions(), select: ({ data }) => data.filter(works) });
  const { data: ended = [] } = useQuery({
    ...listApiKeysOptions(),
    select: ({ data }) => data.filter((key) => !works(key)),
  });
  return (
    <div className="space-y-5">
      <Panel
        title="API keys"
        description="Scripts and agents use these keys to call the API. A key gives access to everything in this workspace, and to nothing else."
        action={owner ? <NewKeyButton /> : null}
      >
        <PanelList
          list={keys}
          label="Active keys"
          empty={`No active keys. ${owner ? 'Create one to use the API.' : 'Ask an owner to create one.'}`}
        >
          {(key) => <KeyRow key={key.id} apiKey={key} owner={owner} />}
        </PanelList>
        {owner ? null : (
          <p className="mt-3 text-quiet">Only owners of the workspace can create, rotate and revoke keys.</p>
        )}
      </Panel>
      {ended.length > 0 ? <EndedKeys keys={ended} /> : null}
    </div>
  );
}

/** Asks what the new key is for: a list of keys without names says nothing of which can be revoked. */
function NewKeyButton() {
  const [open, setOpen] = useState(false);
  const create = useMutation({
    ...createApiKeyMutation(),
    meta: { ...shownInForm, reload, done: 'API key created.' },
    onSuccess: () => setOpen(false),
  });
  return (
    <>
      <Button
        onClick={() => {
          create.reset();
          setOpen(true);
        }}
      >
        <KeyRound aria-hidden />
        New API key
      </Button>
      <FormDialog
        open={open}
        onOpenChange={setOpen}
        title="New API key"
        description="The name tells keys apart, such as the script or the person that uses it."
        submit="Create"
        busy={create.isPending}
        error={create.error}
        onSubmit={({ name = '' }) => create.mutate({ body: name.trim() === '' ? {} : { name } })}
      >
        <TextField label="Name" name="name" maxLength={120} autoComplete="off" hint="Optional" />
      </FormDialog>
    </>
  );
}

const EndedKeys = ({ keys }: { keys: ApiKey[] }) => (
  <Panel title="Inactive keys">
    <ul className="divide-y divide-line">
      {keys.map((key) => (
        <li key={key.id} className="flex flex-wrap gap-x-4 gap-y-1 py-2.5 text-quiet">
          {key.name === null ? null : <span className="truncate text-ink">{key.name}</span>}
          <code>…{key.last_four}</code>
          <span>
            {key.revoked_at
              ? `Revoked ${formatDate(key.revoked_at)}`
              : `Rotated, expired ${formatDate(key.expires_at ?? '')}`}
          </span>
        </li>
      ))}
    </ul>
  </Panel>
);

function KeyRow({ apiKey, owner }: { apiKey: ApiKey; owner: boolean }) {
  const secret = useSecret(async () => (await revealApiKey({ path: { id: apiKey.id } })).data.key);
  const { shown } = secret;
  const command = async () =>
    `curl -H "Authorization: Bearer ${await secret.read()}" ${window.location.origin}/api/v1/workspace`;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-72">
        {apiKey.name === null ? null : <p className="truncate font-medium">{apiKey.name}</p>}
        <code className="block truncate" title={shown ?? undefined}>
          {shown ?? `service_••••••••${apiKey.last_four}`}
        </code>
        <p className="mt-0.5 text-xs text-quiet">
          Created {formatDate(apiKey.created_at)}
          {apiKey.created_by === null ? '' : ` by ${apiKey.created_by}`} ·{' '}
          {apiKey.last_used_at ? `last used ${formatDate(apiKey.last_used_at)}` : 'never used'}
          {apiKey.expires_at ? (
            <span className="text-danger"> · rotated, expires {formatDate(apiKey.expires_at)}</span>
          ) : null}
        </p>
      </div>
      <div className="flex items-center gap-1">
        <SecretButtons secret={secret} name="key" size="icon" />
        <CopyButton label="Copy curl command" text={command}>
          curl
        </CopyButton>
        {owner ? (
          <>
            <RotateButton apiKey={apiKey} />
            <RevokeButton apiKey={apiKey} />
          </>
        ) : null}
      </div>
    </li>
  );
}

function RevokeButton({ apiKey }: { apiKey: ApiKey }) {
  const revoke = useMutation({
    ...revokeApiKeyMutation(),
    meta: { reload, done: `API key ending in ${apiKey.last_four} revoked.` },
  });
  return (
    <ConfirmDialog
      trigger={<IconButton icon={Trash2} label="Revoke key" disabled={revoke.isPending} />}
      title="Revoke this API key?"
      confirm="Revoke"
      onConfirm={() => revoke.mutate({ path: { id: apiKey.id } })}
    >
      Everything that uses the key ending in {apiKey.last_four} stops working immediately. This cannot be undone.
    </ConfirmDialog>
  );
}

const graces = [
  { value: '0', text: 'Immediately' },
  { value: '1', text: 'After 1 hour' },
  { value: '24', text: 'After 24 hours' },
  { value: '72', text: 'After 72 hours' },
] as const;

function RotateButton({ apiKey }: { apiKey: ApiKey }) {
  const [open, setOpen] = useState(false);
  const [grace, setGrace] = useState<(typeof graces)[number]['value']>('24');
  const rotate = useMutation({
    ...rotateApiKeyMutation(),
    meta: { ...shownInForm, reload, done: 'API key rotated.' },
    onSuccess: () => setOpen(false),
  });
  return (
    <>
      <IconButton icon={RotateCw} label="Rotate key" onClick={() => setOpen(true)} />
      <FormDialog
        open={open}
        onOpenChange={setOpen}
        title="Rotate API key"
        description="A new key replaces this one. The old key can keep working for a while, so that scripts have time to switch."
        submit="Rotate"
        busy={rotate.isPending}
        error={rotate.error}
        onSubmit={() => rotate.mutate({ path: { id: apiKey.id }, body: { grace_hours: Number(grace) } })}
      >
        <Select label="Old key expires" value={grace} options={graces} onChange={setGrace} />
      </FormDialog>
    </>
  );
}
