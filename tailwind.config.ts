import type { Config } from 'tailwindcss';

/** The design tokens. Colours are variables, set for light and dark in `src/index.css`. */
export default {
  darkMode: 'class',
  content: ['./index.html', './src/**/*.{ts,tsx}'],
  theme: {
    extend: {
      colors: {
        canvas: 'var(--canvas)',
        surface: 'var(--surface)',
        raised: 'var(--raised)',
        line: 'var(--line)',
        ink: 'var(--ink)',
        quiet: 'var(--quiet)',
        accent: 'var(--accent)',
        'accent-ink': 'var(--accent-ink)',
        'accent-soft': 'var(--accent-soft)',
        // Favourites, stars, moments that were found: what people made or look for.
        warm: 'var(--warm)',
        'warm-soft': 'var(--warm-soft)',
        danger: 'var(--danger)',
        'danger-soft': 'var(--danger-soft)',
        good: 'var(--good)',
      },
      // Between Tailwind's own steps: captions and small controls, the name in the menu. Nothing is smaller than `xs`, 12 px.
      fontSize: {
        label: ['0.8125rem', '1.25rem'],
        title: ['0.9375rem', '1.375rem'],
      },
      // What several parts of a page have to agree on: the width of the menu, of the rail that it is on a tablet, of the uploads beside the page, and its height at the foot of a phone.
      spacing: { menu: '13rem', rail: '5rem', tray: '22rem', foot: '3.5rem' },
      borderRadius: { card: '10px', control: '8px' },
      boxShadow: { float: '0 1px 2px rgb(0 0 0 / 0.06), 0 12px 32px -8px rgb(0 0 0 / 0.24)' },
      // Where something comes from somewhere. With reduced motion there is none.
      transitionDuration: { quick: '120ms', calm: '200ms' },
      fontFamily: {
        sans: ['ui-sans-serif', 'system-ui', '-apple-system', 'Segoe UI', 'Roboto', 'Noto Sans', 'sans-serif'],
      },
    },
  },
} satisfies Config;
