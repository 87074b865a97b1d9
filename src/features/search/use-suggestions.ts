import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { collectionsOptions, tagsOptions } from '../../api/item-groups.ts';
import { creatorsOptions } from '../../api/labels.ts';
import { savedSearchesOptions } from '../../api/saved-searches.ts';
import { itemsByNameOptions } from '../../api/suggestions.ts';
import { useRecentSearches } from '../../lib/recent-searches.ts';
import { paths } from '../../paths.ts';
import { isTooLong } from './query-length.ts';

export type SuggestionKind = 'recent' | 'saved' | 'tag' | 'creator' | 'collection' | 'item';

export type Suggestion = {
  key: string;
  kind: SuggestionKind;
  text: string;
  /** The address that it opens. */
  to: string;
  thumbnail?: string | undefined;
};

/** Most of each kind: while nothing is typed, and then. */
const most = { before: 6, while: 4 };

/** After so many milliseconds without a key items are looked for. */
const pause = 200;

/** What fits a text that is being typed; searches of before while there is none. In the order in which they are shown. */
export function useSuggestions(text: string): { suggestions: Suggestion[]; isPending: boolean } {
  const typed = text.trim();
  const settled = useSettled(typed, pause);
  const [recent] = useRecentSearches();
  const saved = useQuery(savedSearchesOptions);
  const isTyping = typed !== '';
  const tags = useQuery({ ...tagsOptions, enabled: isTyping });
  const creators = useQuery({ ...creatorsOptions, enabled: isTyping });
  const collections = useQuery({ ...collectionsOptions, enabled: isTyping });
  const isAsked = isTyping && settled !== '' && !isTooLong(settled);
  const items = useQuery({
    ...itemsByNameOptions(settled, most.while),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  });
  const lower = typed.toLowerCase();
  const fits = (name: string) => name.toLowerCase().includes(lower);
  const named = <Named extends { name: string }>(list: Named[] | undefined): Named[] =>
    (list ?? []).filter(({ name }) => fits(name));
  const take = <Entry>(list: Entry[], toSuggestion: (entry: Entry) => Suggestion): Suggestion[] =>
    list.slice(0, isTyping ? most.while : most.before).map(toSuggestion);
  const label = (kind: 'tag' | 'creator', list: { id: string; name: string }[] | undefined): Suggestion[] =>
    take(named(list), ({ id, name }) => ({ key: `${kind} ${id}`, kind, text: name, to: paths.labelled(kind, id) }));

  const searches: Suggestion[] = [
    ...take(
      recent.filter((query) => fits(query) && query.toLowerCase() !== lower),
      (query) => ({ key: `recent ${query}`, kind: 'recent', text: query, to: paths.searchFor(query) }),
    ),
    ...take(named(saved.data), (each) => ({
      key: `saved ${each.id}`,
      kind: 'saved',
      text: each.name,
      to: paths.saved(each),
    })),
  ];
  const others: Suggestion[] = [
    ...label('tag', tags.data),
    ...label('creator', creators.data),
    ...take(named(collections.data), ({ id, name }) => ({
      key: `collection ${id}`,
      kind: 'collection',
      text: name,
      to: paths.collection(id),
    })),
    ...take(isAsked ? (items.data ?? []) : [], ({ id, filename: text, thumbnails: [smallest] }) => ({
      key: `item ${id}`,
      kind: 'item',
      text,
      to: paths.media(id),
      thumbnail: smallest?.url,
    })),
  ];
  return {
    suggestions: isTyping ? [...searches, ...others] : searches,
    isPending: isTyping && (settled !== typed || (isAsked && items.isFetching)),
  };
}

/** A value once it has stayed the same for so many milliseconds. */
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
