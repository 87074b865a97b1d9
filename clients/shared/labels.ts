import { listCategories, listCollections, listCreators, listTags } from '../typescript/index.ts';

/** What items are labelled with, and how the labels of each kind are listed. */
export const labelLists = {
  creator: listCreators,
  category: listCategories,
  collection: listCollections,
  tag: listTags,
} as const;

export type LabelKind = keyof typeof labelLists;

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a label is given by its identifier, and not by its name. */
export const isLabelId = (text: string): boolean => uuid.test(text);

const fold = (name: string): string => name.trim().normalize('NFC').toLowerCase();

/** Whether two names are equal as the service compares them: without regard to capital letters and to how accents are written. */
export const isSameName = (one: string, other: string): boolean => fold(one) === fold(other);
