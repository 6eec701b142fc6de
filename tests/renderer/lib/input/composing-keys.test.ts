import { expect, test } from 'vitest';
import { holdComposingKeys } from '../../../../src/renderer/lib/input/composing-keys.ts';

/** A page whose key handlers all listen on it, as those of fields, menus and dialogs do in the end. */
function press(given: { readonly key: string; readonly isComposing: boolean; readonly keyCode: number }) {
  const page = new EventTarget();
  // Only the listeners of a page that listen first can keep a key from the others.
  holdComposingKeys(page as unknown as Window);
  const seen: string[] = [];
  page.addEventListener('keydown', () => seen.push(given.key));
  const event = Object.assign(new Event('keydown', { cancelable: true }), given);
  page.dispatchEvent(event);
  return { seen, isPrevented: event.defaultPrevented };
}

test.each(['Enter', 'Escape', 'Tab', 'ArrowDown'])('%s while composing reaches nothing on the page', (key) => {
  expect(press({ key, isComposing: true, keyCode: 229 })).toEqual({ seen: [], isPrevented: false });
});

test('the Enter that ends a composition in Safari submits nothing', () => {
  expect(press({ key: 'Enter', isComposing: false, keyCode: 229 })).toEqual({ seen: [], isPrevented: true });
});

test('a key pressed without an input method is handled as usual', () => {
  expect(press({ key: 'Enter', isComposing: false, keyCode: 13 })).toEqual({ seen: ['Enter'], isPrevented: false });
});
