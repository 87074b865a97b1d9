import { useLayoutEffect, useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const listeners = new Set<() => void>();
const system = window.matchMedia('(prefers-color-scheme: dark)');

const readTheme = (): Theme => themes.find((theme) => theme === localStorage.getItem('theme')) ?? 'system';

/** How many parts of the page want it dark, whatever the theme is. */
let darkParts = 0;

function apply(): void {
  const theme = readTheme();
  const isDark = darkParts > 0 || theme === 'dark' || (theme === 'system' && system.matches);
  document.documentElement.classList.toggle('dark', isDark);
  for (const listener of listeners) listener();
}
system.addEventListener('change', apply);
// These change colours too.
for (const query of ['(forced-colors: active)', '(prefers-contrast: more)'])
  window.matchMedia(query).addEventListener('change', apply);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A colour of the theme that is shown, by its name in `src/index.css`, for what is drawn without CSS. */
export const useThemeColor = (name: string): string =>
  useSyncExternalStore(subscribe, () => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`));

/** The chosen theme, and how to choose another. `public/theme.js` applies the same choice before the first paint. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore(subscribe, readTheme);
  return [
    theme,
    (next) => {
      localStorage.setItem('theme', next);
      apply();
    },
  ];
}

/** Makes the whole page dark for as long as something covers it that is dark in any theme: its menus and dialogs are as well. */
export function useDarkPage(): void {
  useLayoutEffect(() => {
    darkParts += 1;
    apply();
    return () => {
      darkParts -= 1;
      apply();
    };
  }, []);
}
