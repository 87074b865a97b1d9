import { CircleAlert, Clock } from 'lucide-react';
import { fields } from '../../contract/fields.ts';

const texts = fields.status.options;
const ongoing = { className: 'bg-accent-soft text-accent', icon: Clock };

/** What each status of an item is called, and how its badge looks. */
export const mediaStatuses = {
  pending: { text: texts.pending, badge: ongoing },
  indexing: { text: texts.indexing, badge: ongoing },
  // Items that can be searched carry no badge.
  complete: { text: texts.complete, badge: null },
  error: { text: texts.error, badge: { className: 'bg-danger-soft text-danger', icon: CircleAlert } },
};

export type MediaStatus = keyof typeof mediaStatuses;

export const mediaStatusIds = Object.keys(mediaStatuses) as MediaStatus[];
