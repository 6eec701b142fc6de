/** An element that is being read, and its distance to the top of the view. */
interface ReadBlock {
  readonly element: Element;
  readonly words: string;
  readonly top: number;
  /** Its position in the content, independent of scrolling. */
  readonly inContent: number;
}

export interface KeptPlace {
  /** Takes what is at the top of the view now as what is being read. */
  readonly note: () => void;
  /** Scrolls what is being read back to its place, after it or something above it was rendered again. */
  readonly restore: () => void;
  readonly forget: () => void;
  /** Whether the view has moved since. */
  readonly isMoved: () => boolean;
  /**
   * Whether the view has moved while the text being read kept its position in the content. Then it was scrolled, by
   * hand or by code. At the very end, the browser moves a view by itself.
   */
  readonly isScrolled: () => boolean;
  /** Since when no element that was being read exists any more. Minus infinity while one exists. */
  readonly lostMs: () => number;
}

/** Elements with text of their own. */
const blocks = 'p, li, pre, tr, h3, h4, h5, h6, button[data-work]';
/** Fewer characters are likely to appear in other places, too. */
const fewestCharacters = 12;
/** Several are remembered, because some may disappear, such as a folded line. */
const mostBlocks = 8;
const never = Number.NEGATIVE_INFINITY;
/** A smaller movement is not visible. */
const leastPx = 1;

/**
 * Keeps what the user reads in its place. The browser does that only for elements that stay. Here, a streamed text is
 * rendered again in new elements when its turn ends, so it is recognized by its words.
 */
export function keepPlace(view: HTMLElement, content: HTMLElement): KeptPlace {
  let read: readonly ReadBlock[] = [];
  let top = view.scrollTop;
  let lostMs = never;
  const offsetFrom = ({ element, top: before }: ReadBlock): number =>
    element.getBoundingClientRect().top - view.getBoundingClientRect().top - before;
  const note = (): void => {
    top = view.scrollTop;
    read = blocksInView(view, content);
    lostMs = never;
  };
  const restore = (): void => {
    const kept = read.find(({ element }) => element.isConnected) ?? drawnAnew(read, content);
    if (kept === null) return;
    lostMs = never;
    const offset = offsetFrom(kept);
    if (Math.abs(offset) >= leastPx) view.scrollTop += offset;
    top = view.scrollTop;
    const now = { ...kept, inContent: inContentOf(kept.element, view) };
    read = [now, ...read.filter(({ element }) => element !== now.element)];
  };
  const forget = (): void => {
    read = [];
    lostMs = never;
  };
  const sinceLost = (): number => {
    const isLost = read.length > 0 && !read.some(({ element }) => element.isConnected);
    if (isLost && lostMs === never) lostMs = performance.now();
    return lostMs;
  };
  const isMoved = (): boolean => view.scrollTop !== top;
  const isScrolled = (): boolean => {
    const first = read.find(({ element }) => element.isConnected);
    if (!isMoved() || first === undefined || isAtVeryEnd(view)) return false;
    return Math.abs(inContentOf(first.element, view) - first.inContent) < leastPx;
  };
  return { note, restore, forget, isMoved, isScrolled, lostMs: sinceLost };
}

const inContentOf = (element: Element, view: HTMLElement): number =>
  element.getBoundingClientRect().top - view.getBoundingClientRect().top + view.scrollTop;

const isAtVeryEnd = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement): boolean =>
  scrollHeight - scrollTop - clientHeight < leastPx;

function blocksInView(view: HTMLElement, content: HTMLElement): readonly ReadBlock[] {
  const { top: edge, bottom } = view.getBoundingClientRect();
  const read: ReadBlock[] = [];
  for (const element of content.querySelectorAll(blocks)) {
    const { top, height } = element.getBoundingClientRect();
    if (height === 0 || top + height <= edge) continue;
    // Rows with their own positions may be in another order than in the document.
    if (top >= bottom) continue;
    const words = wordsOf(element);
    if (words !== '') read.push({ element, words, top: top - edge, inContent: top - edge + view.scrollTop });
  }
  return read.sort((left, right) => left.top - right.top).slice(0, mostBlocks);
}

/** Finds one of the blocks again by its words, after it was rendered anew. */
function drawnAnew(read: readonly ReadBlock[], content: HTMLElement): ReadBlock | null {
  if (read.length === 0) return null;
  const drawn = [...content.querySelectorAll(blocks)].map((element) => ({ element, words: wordsOf(element) }));
  for (const block of read) {
    if (block.words.length < fewestCharacters) continue;
    const [same, ...others] = drawn.filter(({ words }) => words === block.words);
    if (same !== undefined && others.length === 0) return { ...block, element: same.element };
  }
  return null;
}

function wordsOf({ textContent }: Element): string {
  return textContent?.trim() ?? '';
}
