import type { TaskNeed } from '@shared/session/session-news.ts';
import { t } from '../../lib/text/translate.ts';

const tones = { answer: 'text-warn', working: 'text-ink', look: 'text-good' } as const;

interface NeedMarkProps {
  readonly need: Exclude<TaskNeed, 'nothing'>;
  /** Something happens at this moment, and the mark breathes. */
  readonly isAtWork: boolean;
}

/** What a task needs of the user, in a word: the same in each list. */
export function NeedMark({ need, isAtWork }: NeedMarkProps) {
  return (
    <span className={`inline-flex shrink-0 items-center gap-1 font-semibold ${tones[need]}`}>
      <span
        aria-hidden="true"
        className={`size-1.5 rounded-full bg-current ${isAtWork ? 'animate-[breathe_1.6s_ease-in-out_infinite]' : ''}`}
      />
      {t(`need.${need}`)}
    </span>
  );
}
