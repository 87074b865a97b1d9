/** Stands where the dashboard will be, until its first page has loaded: the menu and the bar on top, without words. */
export function FirstLoad() {
  return (
    <div className="min-h-dvh" role="status" aria-busy="true" aria-label="Loading">
      <div className="fixed inset-x-0 bottom-0 h-foot border-t border-line bg-surface md:inset-y-0 md:right-auto md:h-auto md:w-menu md:border-t-0 md:border-r" />
      <div className="h-14 border-b border-line md:ml-menu" />
    </div>
  );
}
