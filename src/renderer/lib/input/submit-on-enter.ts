import type { KeyboardEvent } from 'react';

/** Enter submits the form of a text field. Shift+Enter makes a line break. */
export function submitOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || event.shiftKey) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}
