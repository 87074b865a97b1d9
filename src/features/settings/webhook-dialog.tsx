import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type Webhook,
  createWebhook,
  listWebhooksQueryKey,
  updateWebhook,
} from '../../api/generated/dashboard/index.ts';
import { shownInForm } from '../../api/request.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';

/** Creates a webhook, or changes one. */
export function WebhookDialog({ webhook, onClose }: { webhook?: Webhook; onClose: () => void }) {
  const [types, setTypes] = useState<readonly EventType[]>(webhook?.types ?? usualEvents);
  const save = useMutation({
    meta: {
      ...shownInForm,
      reload: [listWebhooksQueryKey()],
      done: webhook ? 'Webhook changed.' : 'Webhook created. Its receiver needs the secret.',
    },
    mutationFn: async ({ url = '', description = '' }: Record<string, string>) => {
      const body = { url: url.trim(), description, types: [...types] };
      await (webhook ? updateWebhook({ path: { id: webhook.id }, body }) : createWebhook({ body }));
    },
    onSuccess: onClose,
  });
  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={webhook ? 'Edit webhook' : 'New webhook'}
      description="Each event is sent to the URL as JSON, signed with the secret of the webhook."
      submit={webhook ? 'Save' : 'Create'}
      busy={save.isPending || types.length === 0}
      error={save.error}
      onSubmit={(fields) => save.mutate(fields)}
    >
      <TextField
        label="URL"
        name="url"
        type="url"
        inputMode="url"
        required
        maxLength={2000}
        autoComplete="off"
        placeholder="https://"
        defaultValue={webhook?.url}
      />
      <TextField
        label="Description"
        name="description"
        maxLength={200}
        autoComplete="off"
        hint="Optional: what it is for"
        defaultValue={webhook?.description}
      />
      <EventChoice types={types} onChange={setTypes} />
    </FormDialog>
  );
}

/** The events that are sent: at least one. */
function EventChoice({
  types,
  onChange,
}: {
  types: readonly EventType[];
  onChange: (types: readonly EventType[]) => void;
}) {
  const choose = (type: EventType, chosen: boolean) =>
    onChange(eventTypes.filter((each) => (each === type ? chosen : types.includes(each))));
  return (
    <fieldset>
      <legend className="font-medium">Events</legend>
      <div className="mt-1.5 space-y-0.5">
        {eventTypes.map((type) => (
          <label key={type} className="flex cursor-pointer items-start gap-2.5 py-1">
            <input
              type="checkbox"
              checked={types.includes(type)}
              onChange={({ currentTarget }) => choose(type, currentTarget.checked)}
              className="mt-0.5 size-4 shrink-0 accent-accent"
            />
            <span className="min-w-0">
              {eventTexts[type]} <code className="block text-xs text-quiet">{type}</code>
            </span>
          </label>
        ))}
      </div>
      {types.length === 0 ? <p className="mt-1 text-xs text-danger">Choose at least one event.</p> : null}
    </fieldset>
  );
}

type EventType = Webhook['types'][number];

/** What each event is called, in the order of the life of an item. */
const eventTexts: Record<EventType, string> = {
  'media.created': 'An item is added',
  'media.progress': 'An item is being indexed (many events)',
  'media.completed': 'An item can be searched',
  'media.failed': 'An item could not be indexed',
  'media.deleted': 'An item is deleted for good',
  'media.reviewed': 'An item is approved, or needs changes',
  'comment.created': 'Somebody comments on an item',
  'comment.updated': 'A comment is changed, resolved or opened again',
  'comment.deleted': 'A comment is deleted',
  'source.scanned': 'A source was scanned',
  'source.offline': 'A source is not to be reached any more',
  'source.online': 'A source is back',
  'search.saved_match': 'A saved search that notifies has a match',
};

const eventTypes = Object.keys(eventTexts) as EventType[];

/** What a new webhook gets: all but the many events of progress. */
const usualEvents = eventTypes.filter((type) => type !== 'media.progress');
