import type { Webhook } from '../../api/generated/dashboard/index.ts';

export type EventType = Webhook['types'][number];

/** What each event is called, in the order of the life of an item. */
export const eventTexts: Record<EventType, string> = {
  'media.created': 'An item is added',
  'media.progress': 'An item is being indexed (many events)',
  'media.completed': 'An item can be searched',
  'media.failed': 'An item could not be indexed',
  'media.deleted': 'An item is deleted for good',
  'search.saved_match': 'A saved search that notifies has a match',
};

export const eventTypes = Object.keys(eventTexts) as EventType[];

/** What a new webhook gets: all but the many events of progress. */
export const usualEvents = eventTypes.filter((type) => type !== 'media.progress');
