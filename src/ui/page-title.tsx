/** What the tab, the history and a reader of the screen call this page. The page that is shown has one. */
export const PageTitle = ({ children }: { children: string }) => <title>{`${children} · Media Search`}</title>;
