import type { PlanItem } from '@shared/events/conversation-events.ts';
import { carriedSteps } from '@shared/session/plan-steps.ts';
import type { MessageState } from '@shared/session/session-state.ts';
import type { ShownItem, TurnTimeline } from '../../../lib/session/turn-timeline.ts';
import { t } from '../../../lib/text/translate.ts';
import { Icon } from '../../../ui/layout/icon.tsx';
import { useWholeText } from '../whole-text.tsx';

interface PlanProgressProps {
  readonly sessionId: string;
  readonly timeline: TurnTimeline;
}

/** The plan that a turn carries out, with the model's progress reports. Without reports, only its steps. */
export function PlanProgress({ sessionId, timeline }: PlanProgressProps) {
  const { turn, message, planItems } = timeline;
  if (planItems === null) return null;
  const isOver = turn.reason !== null;
  if (turn.planItems !== undefined || message === null) return <PlanList items={planItems} isOver={isOver} />;
  return <Unsaid sessionId={sessionId} message={message} />;
}

/** Loads the whole message, because the fold may hold only its beginning. */
function Unsaid({ sessionId, message }: { readonly sessionId: string; readonly message: MessageState }) {
  const { messageId, seq, text } = message;
  const whole = useWholeText(sessionId, { id: messageId, near: seq }, text);
  return <PlanList items={(carriedSteps(whole) ?? []).map((step) => ({ text: step, state: null }))} isOver={false} />;
}

const looks = {
  open: 'text-soft',
  working: 'font-semibold text-ink',
  done: 'text-soft',
  dropped: 'text-soft line-through',
} as const satisfies Record<PlanItem['state'], string>;

interface PlanListProps {
  readonly items: readonly ShownItem[];
  /** Nobody works on it any more. */
  readonly isOver: boolean;
}

export function PlanList({ items, isOver }: PlanListProps) {
  const said = items.some(({ state }) => state !== null);
  const done = items.filter(({ state }) => state === 'done').length;
  return (
    <section
      aria-label={t('plan.tasks')}
      data-plan-progress
      className="rounded-lg border border-line px-3 py-2 text-sm"
    >
      <h2 className="mb-1 flex items-baseline gap-2 text-xs text-soft">
        <span className="font-semibold text-ink">{t('plan.tasks')}</span>
        {said && <span>{t('plan.said', { done, count: items.length })}</span>}
      </h2>
      <ol className="flex flex-col gap-0.5">
        {items.map((item, index) => (
          // Two items may have the same text, so the key is the index.
          // oxlint-disable-next-line react/no-array-index-key
          <Item key={index} item={item} isOver={isOver} number={index + 1} />
        ))}
      </ol>
    </section>
  );
}

interface ItemProps {
  readonly item: ShownItem;
  readonly isOver: boolean;
  readonly number: number;
}

function Item({ item: { text, state }, isOver, number }: ItemProps) {
  return (
    <li data-state={state} className={`flex gap-2 ${state === null ? '' : looks[state]}`}>
      <span aria-hidden className="flex h-5 w-5 shrink-0 items-center justify-end text-xs text-soft">
        {state === 'done' ? <Icon name="check" className="size-3.5 text-good" /> : number}
      </span>
      <span className="min-w-0 flex-1 wrap-anywhere">{text.split('\n')[0]}</span>
      {state !== null && <span className="shrink-0 text-xs leading-5 font-normal">{stateText(state, isOver)}</span>}
    </li>
  );
}

function stateText(state: PlanItem['state'], isOver: boolean): string {
  return t(state === 'working' && isOver ? 'plan.state.begun' : `plan.state.${state}`);
}
