/** What is read, and how far below the top of the view it is. */
interface ReadBlock {
  readonly element: Element;
  readonly words: string;
  readonly top: number;
  /** Where it lies in the content, however that is scrolled. */
  readonly inContent: number;
}

export interface KeptPlace {
  /** What is at the top of the view now is what is read. */
  readonly note: () => void;
  /** Puts what is read back where it was, after what is above it, or it itself, was drawn anew. */
  readonly restore: () => void;
  readonly forget: () => void;
  /** Whether the view has been moved since. */
  readonly isMoved: () => boolean;
  /**
   * Whether it was moved and what is read lies in the content as before: then somebody scrolled, whether by hand or not.
   * At its very end the browser moves a view by itself.
   */
  readonly isScrolled: () => boolean;
  /** Since when nothing of what is read is there any more; before all time where something is. */
  readonly lostMs: () => number;
}

/** What has words of its own. */
const blocks = 'p, li, pre, tr, h3, h4, h5, h6, button[data-work]';
/** Fewer characters stand in other places, too. */
const fewestCharacters = 12;
/** Of what is read some may be gone, such as a line that is folded. */
const mostBlocks = 8;
const never = Number.NEGATIVE_INFINITY;
/** Less is no movement that anybody sees. */
const leastPx = 1;

/**
 * Keeps what a person reads where it is. The browser does so for elements that stay; here a text that streamed is drawn
 * anew when its turn ends, by other elements, so what is read is known by its words.
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
    // Rows that are placed by themselves need not lie in the order of the document.
    if (top >= bottom) continue;
    const words = wordsOf(element);
    if (words !== '') read.push({ element, words, top: top - edge, inContent: top - edge + view.scrollTop });
  }
  return read.sort((left, right) => left.top - right.top).slice(0, mostBlocks);
}

/** One of what was read, by its words, where it was drawn anew. */
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
