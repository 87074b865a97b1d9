import { CircleAlert, Clock } from 'lucide-react';

const ongoing = { className: 'bg-accent-soft text-accent', icon: Clock };

/** What each status of an item is called, and how its badge looks. The filter offers them in this order. */
export const mediaStatuses = {
  pending: { text: 'Queued', badge: ongoing },
  indexing: { text: 'Processing', badge: ongoing },
  // Items that can be searched carry no badge.
  complete: { text: 'Ready', badge: null },
  error: { text: 'Failed', badge: { className: 'bg-danger-soft text-danger', icon: CircleAlert } },
};

export type MediaStatus = keyof typeof mediaStatuses;

export const mediaStatusIds = Object.keys(mediaStatuses) as MediaStatus[];
