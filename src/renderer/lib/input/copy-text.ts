/**
 * Copies a text to the clipboard; false when that was refused. Uses the old method, which needs no permission, because
 * the window grants none.
 */
export function copyText(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('aria-hidden', 'true');
  area.className = 'fixed top-0 opacity-0';
  const holder = document.querySelector('dialog[open], [role="dialog"]') ?? document.body;
  const focused = document.activeElement;
  holder.append(area);
  area.select();
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- see above
    return document.execCommand('copy');
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
