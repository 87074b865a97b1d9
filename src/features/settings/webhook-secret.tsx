import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import {
  listWebhooksQueryKey,
  revealWebhookSecret,
  rotateWebhookSecretMutation,
  type Webhook,
} from '../../api/generated/dashboard/index.ts';
import { formatDate } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toast.ts';
import { SecretButtons, useSecret } from './secret-buttons.tsx';

/** The secret of a webhook: hidden until it is asked for. */
export function WebhookSecret({ webhook }: { webhook: Webhook }) {
  const { id, previous_secret_until: previous } = webhook;
  const client = useQueryClient();
  const secret = useSecret(async () => (await revealWebhookSecret({ path: { id } })).data.secret);
  const rotate = useMutation({
    ...rotateWebhookSecretMutation(),
    onSuccess: async () => {
      secret.hide();
      await client.invalidateQueries({ queryKey: listWebhooksQueryKey() });
      toast.success('The secret was rotated.');
    },
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
          trigger={
            <Button variant="quiet" size="smallIcon" aria-label="Rotate secret" title="Rotate secret">
              <RotateCw aria-hidden />
            </Button>
          }
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
