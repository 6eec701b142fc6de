const known = new Map<string, boolean>();
const sidePx = 24;
/** No font has a sign for it, now or later. */
const unassigned = '\u{10FFFE}';

/**
 * Whether a font of this machine has the first sign of the text. A machine without one for emoji draws an empty box, the
 * same as for a sign that does not exist.
 */
export function canDraw(text: string, draw: (sign: string) => string | null = drawnInPage): boolean {
  const [sign = ''] = text;
  if (/^[\p{L}\p{N}]?$/u.test(sign)) return true;
  const before = known.get(sign);
  if (before !== undefined) return before;
  const drawn = draw(sign);
  const isThere = drawn === null || drawn !== draw(unassigned);
  known.set(sign, isThere);
  return isThere;
}

/** The pixels of a sign, as a text; null where a page cannot draw. */
function drawnInPage(sign: string): string | null {
  const canvas = document.createElement('canvas');
  canvas.width = sidePx;
  canvas.height = sidePx;
  const context = canvas.getContext('2d');
  if (context === null) return null;
  context.font = `${sidePx - 8}px sans-serif`;
  context.textBaseline = 'top';
  context.fillText(sign, 2, 2);
  return context.getImageData(0, 0, sidePx, sidePx).data.join();
}
