import { seenWords } from '@shared/text/seen-text.ts';
import type { AnswerHeading } from '../../../lib/drawing/answer-outline.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { Fold } from '../../../ui/layout/fold.tsx';

/** Scrolls to a heading of an answer. */
export type ShowHeading = (turnId: string, heading: AnswerHeading) => void;

interface AnswerOutlineListProps {
  readonly turnId: string;
  readonly headings: readonly AnswerHeading[];
  readonly onHeading: ShowHeading;
}

const insets = ['pl-2', 'pl-6', 'pl-10', 'pl-14'] as const;

/** The headings of a long answer, in one line until it is opened. Each one scrolls to its place. */
export function AnswerOutlineList({ turnId, headings, onHeading }: AnswerOutlineListProps) {
  if (headings.length === 0) return null;
  return (
    <Fold className="py-1 text-xs" label={plural('answer.outline', headings.length)}>
      <nav aria-label={t('answer.outline.label')}>
        <ul className="border-l border-line text-sm">
          {headings.map((heading, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- the same words may be a heading twice
            <li key={index}>
              <button
                type="button"
                dir="auto"
                onClick={() => onHeading(turnId, heading)}
                className={`min-h-6 w-full rounded-r py-0.5 text-left wrap-anywhere text-soft hover:bg-chosen hover:text-ink ${insets[heading.depth] ?? ''}`}
              >
                {seenWords(heading.text)}
              </button>
            </li>
          ))}
        </ul>
      </nav>
    </Fold>
  );
}
