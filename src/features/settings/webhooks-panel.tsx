import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { History, Pencil, Plus, RotateCw, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import {
  type Webhook,
  deleteWebhookMutation,
  listWebhooksOptions,
  listWebhooksQueryKey,
  revealWebhookSecret,
  rotateWebhookSecretMutation,
  testWebhookMutation,
  updateWebhookMutation,
} from '../../api/generated/dashboard/index.ts';
import { formatCount, formatDate } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Panel, PanelList } from '../../ui/panel.tsx';
import { Toggle } from '../../ui/toggle.tsx';
import { SecretButtons, useSecret } from './secret-buttons.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

const description =
  'What happens in this workspace is sent to these URLs, signed, and again for a day until it arrives.';

/** Where events of the workspace are sent. Owners only. */
export function WebhooksPanel({ owner }: { owner: boolean }) {
  return owner ? (
    <Webhooks />
  ) : (
    <Panel title="Webhooks" description={description}>
      <p className="py-3 text-quiet">Only owners of the workspace see and change webhooks.</p>
    </Panel>
  );
}

function Webhooks() {
  const webhooks = useQuery({ ...listWebhooksOptions(), select: ({ data }) => data });
  const [creating, setCreating] = useState(false);
  return (
    <Panel
      title="Webhooks"
      description={description}
      action={
        <Button onClick={() => setCreating(true)}>
          <Plus aria-hidden />
          New webhook
        </Button>
      }
    >
      <PanelList
        list={webhooks}
        label="Webhooks"
        empty="No webhooks. Create one to be told when an item can be searched, or fails."
      >
        {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} />}
      </PanelList>
      {creating ? <WebhookDialog onClose={() => setCreating(false)} /> : null}
    </Panel>
  );
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { url, description: about, types, created_by, created_at } = webhook;
  const [open, setOpen] = useState<'edit' | 'deliveries' | null>(null);
  const reload = useReloadWebhooks();
  const close = () => {
    setOpen(null);
    // What was sent meanwhile may have disabled it.
    void reload();
  };
  return (
    <li className="space-y-1.5 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          {about === '' ? null : <p className="truncate font-medium">{about}</p>}
          <code className="block truncate" title={url}>
            {url}
          </code>
          <p className="text-xs text-quiet">
            {types.join(', ')} · created {formatDate(created_at)}
            {created_by === null ? '' : ` by ${created_by}`}
          </p>
        </div>
        <EnabledToggle webhook={webhook} />
      </div>
      <WebhookState webhook={webhook} />
      <div className="flex flex-wrap items-center gap-x-1 gap-y-1">
        <Button size="small" onClick={() => setOpen('deliveries')}>
          <History aria-hidden />
          Deliveries
        </Button>
        <TestButton webhook={webhook} onSent={() => setOpen('deliveries')} />
        <IconButton icon={Pencil} label="Edit webhook" size="smallIcon" title="Edit" onClick={() => setOpen('edit')} />
        <DeleteButton webhook={webhook} />
      </div>
      <WebhookSecret webhook={webhook} />
      {open === 'edit' ? <WebhookDialog webhook={webhook} onClose={close} /> : null}
      {open === 'deliveries' ? <WebhookDeliveries webhook={webhook} onClose={close} /> : null}
    </li>
  );
}

const reasons = {
  owner: 'Disabled by an owner.',
  gone: 'Disabled: its receiver answered that it is gone (status 410).',
  failing: 'Disabled: nothing reached it for a day.',
  secret_lost: 'Disabled: the key that encrypted its secret was replaced. Rotate the secret, then enable it.',
};

/** What an owner has to know of a webhook; nothing when all is well. */
function WebhookState({ webhook }: { webhook: Webhook }) {
  const { disabled_at, disabled_reason, failing_since, missed, waiting } = webhook;
  if (disabled_at !== null && disabled_reason !== null)
    return (
      <p className={disabled_reason === 'owner' ? 'text-quiet' : 'text-danger'}>
        {reasons[disabled_reason]} Since {formatDate(disabled_at)}.
      </p>
    );
  return (
    <>
      {failing_since === null ? null : (
        <p className="text-danger">
          Nothing reached it since {formatDate(failing_since)}. {formatCount(waiting)}{' '}
          {waiting === 1 ? 'delivery waits' : 'deliveries wait'}.
        </p>
      )}
      {missed === null ? null : (
        <p className="text-danger">
          {formatCount(missed.count)} {missed.count === 1 ? 'event' : 'events'} since {formatDate(missed.since)} will
          not be sent: too many deliveries were waiting.
        </p>
      )}
    </>
  );
}

function useReloadWebhooks() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: listWebhooksQueryKey() });
}

function EnabledToggle({ webhook: { id, enabled } }: { webhook: Webhook }) {
  const reload = useReloadWebhooks();
  const change = useMutation({ ...updateWebhookMutation(), onSettled: reload });
  return (
    <Toggle pressed={enabled} onChange={(pressed) => change.mutate({ path: { id }, body: { enabled: pressed } })}>
      Enabled
    </Toggle>
  );
}

function TestButton({ webhook: { id, enabled }, onSent }: { webhook: Webhook; onSent: () => void }) {
  const send = useMutation({ ...testWebhookMutation(), onSuccess: onSent });
  return (
    <Button size="small" disabled={!enabled || send.isPending} onClick={() => send.mutate({ path: { id } })}>
      <Send aria-hidden />
      Send test event
    </Button>
  );
}

function DeleteButton({ webhook: { id, url } }: { webhook: Webhook }) {
  const remove = useMutation({
    ...deleteWebhookMutation(),
    meta: { reload: [listWebhooksQueryKey()], done: 'Webhook deleted.' },
  });
  return (
    <ConfirmDialog
      trigger={
        <IconButton icon={Trash2} label="Delete webhook" size="smallIcon" title="Delete" disabled={remove.isPending} />
      }
      title="Delete this webhook?"
      confirm="Delete"
      onConfirm={() => remove.mutate({ path: { id } })}
    >
      Nothing more is sent to {url}, and the log of its deliveries is deleted. This cannot be undone.
    </ConfirmDialog>
  );
}

/** The secret of a webhook: hidden until it is asked for. */
function WebhookSecret({ webhook }: { webhook: Webhook }) {
  const { id, previous_secret_until: previous } = webhook;
  const secret = useSecret(async () => (await revealWebhookSecret({ path: { id } })).data.secret);
  const rotate = useMutation({
    ...rotateWebhookSecretMutation(),
    meta: { reload: [listWebhooksQueryKey()], done: 'The secret was rotated.' },
    onSuccess: secret.hide,
  });
  return (
    <div className="flex flex-wrap items-center gap-x-1 text-xs text-quiet">
      <span className="min-w-0">
        Secret <code className="break-all">{secret.shown ?? 'whsec_••••••••'}</code>
        {previous === null ? null : <> · the one before counts until {formatDate(previous)}</>}
      </span>
      <span className="flex items-center">
        <SecretButtons secret={secret} name="secret" size="smallIcon" />
        <ConfirmDialog
          trigger={<IconButton icon={RotateCw} label="Rotate secret" size="smallIcon" />}
          title="Rotate this secret?"
          confirm="Rotate"
          onConfirm={() => rotate.mutate({ path: { id } })}
        >
          A new secret takes its place. For 24 hours deliveries are signed with both, so that the receiver has time to
          change.
        </ConfirmDialog>
      </span>
    </div>
  );
}
