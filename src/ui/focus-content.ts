/** Gives the focus to the content of the page, when what had it is gone: the next Tab leads to its first control, not to the menu. */
export function focusContent(): void {
  document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
}
