import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Eye, EyeOff, RotateCw } from 'lucide-react';
import { useState } from 'react';
import {
  listWebhooksQueryKey,
  revealWebhookSecret,
  rotateWebhookSecretMutation,
  type Webhook,
} from '../../api/generated/dashboard/index.ts';
import { formatDate } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { toast } from '../../ui/toast.ts';

/** The secret of a webhook: hidden until it is asked for. */
export function WebhookSecret({ webhook }: { webhook: Webhook }) {
  const { id, previous_secret_until: previous } = webhook;
  const client = useQueryClient();
  const [shown, setShown] = useState<string | null>(null);
  const readSecret = async () => (await revealWebhookSecret({ path: { id } })).data.secret;
  const reveal = useMutation({ mutationFn: readSecret, onSuccess: setShown });
  const rotate = useMutation({
    ...rotateWebhookSecretMutation(),
    onSuccess: async () => {
      setShown(null);
      await client.invalidateQueries({ queryKey: listWebhooksQueryKey() });
      toast.success('The secret was rotated.');
    },
  });
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="flex flex-wrap items-center gap-x-1 text-xs text-quiet">
      <span className="min-w-0">
        Secret <code className="break-all">{shown ?? 'whsec_••••••••'}</code>
        {previous === null ? null : <> · the one before counts until {formatDate(previous)}</>}
      </span>
      <span className="flex items-center">
        <Button
          variant="quiet"
          size="smallIcon"
          aria-label={shown ? 'Hide secret' : 'Reveal secret'}
          title={shown ? 'Hide secret' : 'Reveal secret'}
          onClick={() => (shown ? setShown(null) : reveal.mutate())}
        >
          <Icon aria-hidden />
        </Button>
        <CopyButton label="Copy secret" text={readSecret} />
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
