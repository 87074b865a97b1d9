import { setTimeout as sleep } from 'node:timers/promises';
import type { TestBrowser } from '../../../server/testing/running-service.ts';
import { startReceiver } from '../../../server/testing/webhook-receiver.ts';
import type { Campaign } from './campaign.ts';
import type { Ledger } from './ledger.ts';

/** Seconds that waiting messages have to arrive. */
const patienceSeconds = 120;

/** A webhook of a service that is killed again and again, and its receiver, which is not. */
export async function watchWebhook({ count, violation }: Campaign, ledger: Ledger) {
  const receiver = await startReceiver();
  let id: string | undefined;
  return {
    /** Creates the webhook; again does nothing. */
    async create(owner: TestBrowser): Promise<void> {
      if (id !== undefined) return;
      const made = await owner.post<{ id: string }>('/manage/webhooks', {
        url: receiver.url,
        types: ['media.created'],
      });
      if (made.status === 201) id = made.data.id;
      else violation('webhook', `It was answered with ${made.status}.`);
    },

    /** Each acknowledged upload was told to the receiver at least once. */
    async check(owner: TestBrowser): Promise<void> {
      const wanted = new Set(ledger.added);
      for (let tries = 0; tries < patienceSeconds; tries++) {
        for (const { body } of receiver.messages) {
          wanted.delete((JSON.parse(body) as { data: { media: { id: string } } }).data.media.id);
        }
        if (wanted.size === 0) break;
        // What waits for another attempt is sent at once.
        await owner.post(`/manage/webhooks/${id}/redeliver`, { status: 'pending' });
        await sleep(1000);
      }
      count('messages to the webhook', receiver.messages.length);
      if (wanted.size > 0)
        violation('lost', `The webhook was not told of ${wanted.size} items, such as ${[...wanted][0]}.`);
    },

    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}
