import type { SearchHit } from '../../api/generated/api/index.ts';

/** A passage of text with the words marked that matched. */
export const Excerpt = ({ parts }: { parts: NonNullable<SearchHit['signals']['excerpt']> }) =>
  parts.map(({ text, matched }, i) =>
    matched ? (
      // oxlint-disable-next-line react/no-array-index-key -- the pieces of one text never change places
      <mark key={i} className="rounded bg-accent-soft px-0.5 text-accent">
        {text}
      </mark>
    ) : (
      text
    ),
  );
