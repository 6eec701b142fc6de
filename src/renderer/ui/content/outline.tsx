import { useRef } from 'react';
import { seenWords } from '@shared/text/seen-text.ts';
import type { Heading } from '../../lib/text/headings-of.ts';
import { plural } from '../../lib/text/translate.ts';
import { Fold } from '../layout/fold.tsx';

/** The headings of a long text, each a way to its place. The parts of the text are drawn below it, one after the other. */
export function Outline({ headings }: { readonly headings: readonly Heading[] }) {
  const place = useRef<HTMLElement>(null);
  const top = Math.min(...headings.map(({ level }) => level));
  return (
    <nav ref={place} data-outline aria-label={plural('outline.label', headings.length)} className="mb-2">
      <Fold label={plural('outline.label', headings.length)} className="text-sm">
        <ul className="mt-1 flex flex-col border-l border-line pl-2">
          {headings.map((heading) => (
            <li key={`${heading.part} ${heading.place}`} style={{ paddingLeft: `${(heading.level - top) * 0.75}rem` }}>
              <button
                type="button"
                className="min-h-6 rounded px-1.5 text-left text-sm text-soft hover:bg-chosen hover:text-ink"
                onClick={() => goTo(place.current, heading)}
              >
                {seenWords(heading.text)}
              </button>
            </li>
          ))}
        </ul>
      </Fold>
    </nav>
  );
}

/** A part that comes into view is drawn within some frames; until then it has no headings. */
const mostFrames = 60;

function goTo(outline: HTMLElement | null, { part, place }: Heading): void {
  let element: Element | null | undefined = outline;
  for (let at = 0; at <= part; at += 1) element = element?.nextElementSibling;
  const target = element;
  target?.scrollIntoView({ block: 'start' });
  const look = (framesLeft: number): void => {
    const heading = target?.querySelectorAll('h3, h4, h5, h6')[place];
    if (heading !== undefined) heading.scrollIntoView({ block: 'start' });
    else if (framesLeft > 0) requestAnimationFrame(() => look(framesLeft - 1));
  };
  look(mostFrames);
}
