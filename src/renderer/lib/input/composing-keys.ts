type Key = Pick<KeyboardEvent, 'isComposing' | 'key' | 'keyCode' | 'preventDefault' | 'stopImmediatePropagation'>;

/** The key code of every key that an input method takes. */
const takenByInputMethod = 229;

/**
 * A key that belongs to an input method reaches nothing of the page: no field, menu, dialog, list or shortcut. Safari
 * ends the composition before the Enter that ended it, so that Enter must not submit a form either.
 */
export function holdComposingKey(event: Key): void {
  // The code is marked as deprecated, and is the only sign where the composition has ended already.
  if (!event.isComposing && event.keyCode !== takenByInputMethod) return;
  event.stopImmediatePropagation();
  if (!event.isComposing && event.key === 'Enter') event.preventDefault();
}

/** Call it once, before anything else listens. */
export function holdComposingKeys(page: Pick<Window, 'addEventListener'>): void {
  page.addEventListener('keydown', holdComposingKey, { capture: true });
}
