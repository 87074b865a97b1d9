import type { ReactNode } from 'react';
import { PageTitle } from './page-title.tsx';

/** A page outside the dashboard: one card in the middle, with what went wrong on top. */
export function Entrance({ title, error, children }: { title: string; error?: ReactNode; children: ReactNode }) {
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <PageTitle>{title}</PageTitle>
      <div className="w-full max-w-sm rounded-2xl border border-line bg-surface p-7 shadow-float">
        <img src="/favicon.svg" alt="" className="size-10" />
        <h1 className="mt-5 text-xl font-semibold">{title}</h1>
        {error === undefined ? null : (
          <p role="alert" className="mt-4 rounded-control bg-danger-soft px-3 py-2.5 text-danger">
            {error}
          </p>
        )}
        {children}
      </div>
    </main>
  );
}
