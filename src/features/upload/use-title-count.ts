import { useEffect } from 'react';

const prefix = /^\(\d[^)]*\) /;

/** Puts a count in front of the title of the page, such as `(42/165) Library`, for who looks at another tab. Null: none. */
export function useTitleCount(count: string | null): void {
  useEffect(() => {
    if (count === null) return undefined;
    const show = () => {
      const title = `(${count}) ${document.title.replace(prefix, '')}`;
      if (document.title !== title) document.title = title;
    };
    show();
    // Pages set their own titles.
    const observer = new MutationObserver(show);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      document.title = document.title.replace(prefix, '');
    };
  }, [count]);
}
