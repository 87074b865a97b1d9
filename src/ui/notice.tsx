import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { PageTitle } from './page-title.tsx';

/** Says in the middle of an empty place why it is empty and what to do. */
export function Notice({
  icon: Icon,
  title,
  children,
  action,
  page = false,
}: {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
  /** Whether it is all that the page shows: then it has the page's heading and title. */
  page?: boolean;
}) {
  const Heading = page ? 'h1' : 'h2';
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-4 py-20 text-center">
      {page ? <PageTitle>{title}</PageTitle> : null}
      <span className="mb-4 grid size-12 place-items-center rounded-full bg-raised text-quiet">
        <Icon className="size-6" aria-hidden />
      </span>
      <Heading className="text-base font-semibold">{title}</Heading>
      <div className="mt-1.5 leading-relaxed text-quiet">{children}</div>
      {action ? <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div> : null}
    </div>
  );
}
