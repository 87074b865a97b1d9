import { clsx } from 'clsx';
import { BookOpen, Captions, Ear, type LucideIcon, ScanText, Tag } from 'lucide-react';
import { createElement } from 'react';
import {
  canShowText,
  describeFoundText,
  namesOfSources,
  type TextMatch as Match,
  type TextSource,
} from '../lib/found-text.ts';

const icons: Partial<Record<TextSource, LucideIcon>> = {
  speech: Ear,
  ocr: ScanText,
  subtitle: Captions,
  chapter: BookOpen,
};

const iconOfSource = (source: TextSource): LucideIcon => icons[source] ?? Tag;

type TextMatchProps = {
  match: Match;
  type: 'video' | 'image' | 'audio';
  /** Plays where the text is said or shown. Texts about the whole item are no buttons. */
  onShow: () => void;
  /** Whether it has three lines at most, and the end of the passage may be cut off. */
  short?: boolean;
};

/** Where a text was found, and the passage with the words marked that matched. */
export const TextMatch = ({ match, type, onShow, short = false }: TextMatchProps) => {
  const isButton = canShowText(match, type);
  const className = clsx(
    'w-full min-w-0 text-left',
    short ? 'line-clamp-3 text-xs leading-6' : 'flex items-baseline gap-2 leading-relaxed',
  );
  const content = (
    <>
      <span
        title={namesOfSources[match.source]}
        className={clsx(
          // By the baseline of its words, not of the icon.
          'inline-flex shrink-0 items-baseline gap-1 rounded-md bg-raised px-1.5 text-xs leading-5 font-medium tabular-nums',
          isButton && 'group-hover/match:bg-accent-soft group-hover/match:text-accent',
        )}
      >
        <SourceIcon source={match.source} className="size-3.5 shrink-0 self-center" />
        {describeFoundText(match, type)}
        {match.uncertain ? ' · uncertain' : null}
      </span>{' '}
      <span lang={match.language ?? undefined} dir="auto" className="min-w-0 wrap-anywhere text-quiet">
        <MeaningNote match={match} />
        <Passage parts={match.excerpt} markClass="rounded bg-accent-soft px-0.5 text-accent" />
      </span>
    </>
  );
  if (!isButton) return <div className={className}>{content}</div>;
  return (
    <button type="button" onClick={onShow} className={clsx(className, 'group/match rounded-control')}>
      {content}
    </button>
  );
};

/** Says of a passage that no word of it was searched for. */
export const MeaningNote = ({ match }: { match: Match }) =>
  match.by === 'meaning' ? <span lang="en">means something like: </span> : null;

/** The icon of where a text was found. */
export const SourceIcon = ({ source, className }: { source: Match['source']; className: string }) =>
  createElement(iconOfSource(source), { className, 'aria-hidden': true });

/** A passage of a text with the words marked that matched. */
export const Passage = ({ parts, markClass }: { parts: Match['excerpt']; markClass: string }) =>
  parts.map(({ text, matched }, i) =>
    matched ? (
      // oxlint-disable-next-line react/no-array-index-key -- the pieces of one text never change places
      <mark key={i} className={markClass}>
        {text}
      </mark>
    ) : (
      text
    ),
  );
