/** What describes a field of `fields.ts`: what its values are, and the filters and orders that come from it. */

/**
 * How a filter compares the value of an item with that of the request. `after` includes its bound, `before` does not; `min` and `max` both
 * do. `within` is a folder, or one below it; `near` is a circle on the earth, `box` one between parallels and meridians; see `positions.ts`.
 */
export type Operator = 'is' | 'contains' | 'within' | 'after' | 'before' | 'min' | 'max' | 'near' | 'box';

export type FilterEntry = {
  operator: Operator;
  /** A sentence of the reference of the API, of the help of the command line and of the inputs of agents. */
  description: string;
  /** What people call it: its name on the command line, for agents and in the URL of the dashboard. The parameter's own name unless given. */
  name?: string;
  /** Its name in the URL of the dashboard, where it is another. */
  url?: string;
};

/** A range that the dashboard offers for a number. */
type NumberRange = { text: string; min?: number; max?: number };

/** What the values of a field are. The search index has a column for each, named by the parameter or, of numbers and times, by the column. */
type FieldKind =
  /** One of some words, with their texts. */
  | { kind: 'choice'; column: string; options: Readonly<Record<string, string>>; label: string; any: string }
  /** The identifier of at most one label. */
  | { kind: 'label'; column: string; label: string; any: string }
  /** The identifiers of any number of labels, in a table of members. */
  | { kind: 'labels'; members: 'collection_items' | 'item_tags'; label: string; any: string }
  /** A moment, and the column of the clock where the item was recorded: a day of the calendar is compared with that. */
  | { kind: 'time'; column: string; local: string; label: string }
  /** A number within bounds. */
  | {
      kind: 'number';
      column: string;
      integer: boolean;
      least: number;
      most: number;
      unit: string;
      label: string;
      any: string;
      ranges: readonly NumberRange[];
    }
  | { kind: 'text'; column: string; label: string }
  /** A position on the earth, in two columns of numbers. */
  | { kind: 'position'; columns: readonly ['latitude', 'longitude']; label: string }
  /** It has no filters. */
  | { kind: 'sorted'; column: string };

/** A field by its name in `MediaItem`. */
export type Field = FieldKind & {
  /** Whether the list of items alone has its filters: the searches have items that are complete, and words of their own. */
  listOnly?: true;
  filters?: Readonly<Record<string, FilterEntry>>;
  /** How people change it, of a field that is not only read: what they call it, and what changing it does. */
  edit?: { name: string; description: string };
  /** The orders of the list and their names, in the order in which they are offered. `-` in front: descending. */
  orders?: Readonly<Record<string, string>>;
};
