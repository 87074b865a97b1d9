import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** Says in the middle of an empty place why it is empty and what to do. */
export function Notice({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-4 py-20 text-center">
      <span className="mb-4 grid size-12 place-items-center rounded-full bg-raised text-quiet">
        <Icon className="size-6" aria-hidden />
      </span>
      <h2 className="text-base font-semibold">{title}</h2>
      <div className="mt-1.5 leading-relaxed text-quiet">{children}</div>
      {action ? <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div> : null}
    </div>
  );
}
