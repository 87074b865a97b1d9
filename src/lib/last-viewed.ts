/** The item whose page was open last, so that the list which is returned to can show it. */
let viewed: string | null = null;

export function rememberViewed(id: string): void {
  viewed = id;
}

/** The item that was viewed last; null once a list has shown it. */
export const lastViewed = (): string | null => viewed;

export function forgetViewed(): void {
  viewed = null;
}
