import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { CircleAlert, CircleCheck, Clock } from 'lucide-react';
import { useState } from 'react';
import {
  listDeliveriesOptions,
  listDeliveriesQueryKey,
  listWebhooksQueryKey,
  type PageMeta,
  redeliverMutation,
  type Webhook,
  type WebhookDelivery,
} from '../../api/generated/dashboard/index.ts';
import { formatCount, formatDate } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { ClosableDialog } from '../../ui/closable-dialog.tsx';
import { PanelSkeleton } from '../../ui/panel.tsx';
import { QueryFailure } from '../../ui/query-failure.tsx';
import { toast } from '../../ui/toast.ts';

const states = {
  delivered: { text: 'Delivered', icon: CircleCheck, className: 'text-good' },
  pending: { text: 'Waiting', icon: Clock, className: 'text-accent' },
  failed: { text: 'Failed', icon: CircleAlert, className: 'text-danger' },
};

type Status = WebhookDelivery['status'];

/** How often the log is read again while an attempt is under way, milliseconds. */
const askMs = 2000;

/** Whether something may change soon. */
const isMoving = ({ status, next_attempt_at }: WebhookDelivery): boolean =>
  status === 'pending' && Date.parse(next_attempt_at ?? '') < Date.now() + 60_000;

/** The log of a webhook: what was sent when, what was answered. */
export function WebhookDeliveries({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [status, setStatus] = useState<Status | undefined>(undefined);
  const [page, setPage] = useState(1);
  const log = useQuery({
    ...listDeliveriesOptions({
      path: { id: webhook.id },
      query: { page, per_page: 20, ...(status === undefined ? {} : { status }) },
    }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.data.some(isMoving) ? askMs : false),
  });
  const choose = (chosen: Status | undefined) => {
    setStatus(chosen);
    setPage(1);
  };
  return (
    <ClosableDialog
      wide
      title="Deliveries"
      description={<span className="break-all">{webhook.url}</span>}
      onClose={onClose}
    >
      <div className="mt-3 flex flex-wrap items-center justify-between gap-2">
        <Choice
          label="Show"
          value={status}
          options={[
            { value: undefined, text: 'All' },
            { value: 'failed', text: 'Failed' },
            { value: 'pending', text: 'Waiting' },
          ]}
          onChange={choose}
        />
        <div className="flex flex-wrap gap-2">
          {status === 'failed' ? null : (
            <ResendButton webhook={webhook} body={{ status: 'pending' }} text="Send all waiting now" />
          )}
          {status === 'pending' ? null : (
            <ResendButton webhook={webhook} body={{ status: 'failed' }} text="Resend all failed" />
          )}
        </div>
      </div>
      {log.isPending ? <PanelSkeleton /> : null}
      {log.isError ? <QueryFailure error={log.error} onRetry={() => void log.refetch()} /> : null}
      {log.data?.data.length === 0 ? (
        <p className="py-6 text-center text-quiet">
          {status === undefined ? 'Nothing was sent in the last seven days.' : 'There are none.'}
        </p>
      ) : null}
      <ul className="mt-2 divide-y divide-line" aria-label="Deliveries">
        {log.data?.data.map((delivery) => (
          <DeliveryRow key={delivery.event_id} webhook={webhook} delivery={delivery} />
        ))}
      </ul>
      {log.data ? <Pages meta={log.data.meta} onChange={setPage} /> : null}
    </ClosableDialog>
  );
}

function Pages({ meta, onChange }: { meta: PageMeta; onChange: (page: number) => void }) {
  const { page, total, total_pages, has_more } = meta;
  if (total_pages <= 1) return null;
  return (
    <nav aria-label="Pages" className="mt-3 flex items-center justify-between gap-2">
      <Button size="small" disabled={page === 1} onClick={() => onChange(page - 1)}>
        Newer
      </Button>
      <span className="text-quiet tabular-nums">{formatCount(total)} deliveries</span>
      <Button size="small" disabled={!has_more} onClick={() => onChange(page + 1)}>
        Older
      </Button>
    </nav>
  );
}

function DeliveryRow({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const { event_id, type, status, attempts, created_at, error, response, duration_ms, next_attempt_at } = delivery;
  const { icon: Icon, text, className } = states[status];
  return (
    <li>
      <details className="group py-1">
        <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-0.5 rounded-control py-1.5">
          <span className={clsx('inline-flex items-center gap-1.5 font-medium', className)}>
            <Icon className="size-4" aria-hidden />
            {text}
          </span>
          <code>{type}</code>
          <span className="text-xs text-quiet tabular-nums sm:ml-auto">
            {formatDate(created_at)} · {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
          </span>
        </summary>
        <div className="space-y-2 pb-3 text-quiet">
          {error === null ? null : <p className="text-danger">{error}</p>}
          <p className="tabular-nums">
            {response === null
              ? status === 'pending' && error === null
                ? 'No answer yet'
                : 'No answer'
              : `Status ${response.status}`}
            {duration_ms === null ? '' : ` · ${formatCount(duration_ms)} ms`}
            {next_attempt_at !== null && error !== null ? ` · next attempt ${formatDate(next_attempt_at)}` : ''}
          </p>
          <p className="text-xs">
            Event <code className="break-all">{event_id}</code>
          </p>
          {response !== null && response.body !== '' ? <Text label="Answer" text={response.body} /> : null}
          <Text label="Sent" text={pretty(delivery.payload)} />
          <ResendButton webhook={webhook} body={{ event_id }} text={status === 'pending' ? 'Send now' : 'Resend'} />
        </div>
      </details>
    </li>
  );
}

/** The payload as people read it. */
const pretty = (payload: string): string => JSON.stringify(JSON.parse(payload), null, 2);

const Text = ({ label, text }: { label: string; text: string }) => (
  <div>
    <p className="text-xs">{label}</p>
    <pre
      role="region"
      aria-label={label}
      className="mt-1 rounded-control border border-line bg-canvas p-2.5 text-xs break-all whitespace-pre-wrap text-ink"
    >
      {text}
    </pre>
  </div>
);

type Chosen = { event_id: string } | { status: 'failed' | 'pending' };

/** What is said when nothing is sent. */
function explainNone(chosen: Chosen): string {
  if ('event_id' in chosen) return 'It is being sent.';
  return chosen.status === 'failed'
    ? 'No delivery has failed.'
    : 'No delivery waits, but what is being sent within seconds.';
}

function ResendButton({ webhook, body, text }: { webhook: Webhook; body: Chosen; text: string }) {
  const { id, enabled } = webhook;
  const client = useQueryClient();
  const resend = useMutation({
    ...redeliverMutation(),
    onSuccess: async ({ data: { redelivered } }) => {
      await client.invalidateQueries({ queryKey: listWebhooksQueryKey() });
      await client.invalidateQueries({ queryKey: listDeliveriesQueryKey({ path: { id } }) });
      if (redelivered === 0) toast.warning(explainNone(body));
      else
        toast.success(
          redelivered === 1 ? 'One event is being sent.' : `${formatCount(redelivered)} events are being sent.`,
        );
    },
  });
  return (
    <Button size="small" disabled={!enabled || resend.isPending} onClick={() => resend.mutate({ path: { id }, body })}>
      {text}
    </Button>
  );
}
