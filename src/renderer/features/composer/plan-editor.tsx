import { useState } from 'react';
import { planSteps } from '@shared/session/plan-steps.ts';
import type { SessionState, TurnState } from '@shared/session/session-state.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { savePlan, startPlan } from '../../lib/session/session-commands.ts';
import { textRows } from '../../lib/drawing/field-rows.ts';
import { t } from '../../lib/text/translate.ts';
import { useDetail } from '../../lib/session/use-log-detail.ts';
import { useDraft } from '../../lib/input/use-draft.ts';
import { Button } from '../../ui/controls/button.tsx';
import { IconButton } from '../../ui/controls/icon-button.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

interface PlanEditorProps {
  readonly sessionId: string;
  readonly turn: TurnState;
  /** The user's version of a plan, from the log. */
  readonly plan: SessionState['plan'];
  readonly onStarted: () => void;
}

interface LastPlanProps {
  readonly sessionId: string;
  readonly state: SessionState;
  readonly onStarted: () => void;
}

/** The plan of the last turn, as long as no message followed. */
export function LastPlan({ sessionId, state, onStarted }: LastPlanProps) {
  const turn = state.turns.at(-1);
  if (turn?.reason !== 'planned' || state.pending.length > 0) return null;
  return (
    <div className="mb-2 max-h-[45vh] overflow-y-auto [scrollbar-gutter:auto]">
      <PlanEditor key={turn.id} sessionId={sessionId} turn={turn} plan={state.plan} onStarted={onStarted} />
    </div>
  );
}

/** Edits the plan that a turn ended with: change, move, add and remove steps, then start it. */
function PlanEditor({ sessionId, turn, plan, onStarted }: PlanEditorProps) {
  const load = useDetail(sessionId, turn.id, String(turn.endedAt));
  const edited = plan?.turnId === turn.id ? plan.steps : null;
  if (load.type === 'loading') return null;
  const whole = load.type === 'ready' ? (load.detail.text ?? turn.text) : turn.text;
  const made = edited ?? planSteps(whole);
  return (
    <Steps
      key={made.join('\n\n')}
      sessionId={sessionId}
      turnId={turn.id}
      made={made}
      isEdited={edited !== null}
      onStarted={onStarted}
    />
  );
}

interface StepsProps {
  readonly sessionId: string;
  readonly turnId: string;
  readonly made: readonly string[];
  readonly isEdited: boolean;
  readonly onStarted: () => void;
}

interface Row {
  readonly key: number;
  readonly text: string;
}

function Steps(props: StepsProps) {
  const plan = usePlan(props);
  const { rows, setRows, problem } = plan;
  return (
    <section aria-label={t('plan.label')} className="rounded-lg border border-line bg-raised p-3">
      <h2 className="mb-2 flex items-baseline gap-2 text-sm font-semibold">
        {t('plan.label')}
        {props.isEdited && <span className="text-xs font-normal text-soft">{t('plan.edited')}</span>}
      </h2>
      <ol className="flex flex-col gap-1.5">
        {rows.map((row, index) => (
          <StepField
            key={row.key}
            row={row}
            number={index + 1}
            count={rows.length}
            onText={(text) => setRows(rows.map((one) => (one === row ? { ...row, text } : one)))}
            onMove={(by) => setRows(moved(rows, index, by))}
            onRemove={() => setRows(rows.filter((one) => one !== row))}
          />
        ))}
      </ol>
      {problem !== null && <Problem className="mt-2" text={problem} />}
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button size="small" onClick={() => setRows([...rows, { key: nextKey(rows), text: '' }])}>
          <Icon name="plus" className="size-3.5" /> {t('plan.add')}
        </Button>
        <span className="flex-1" />
        {plan.isChanged && (
          <Button size="small" disabled={!plan.canStart} onClick={plan.save}>
            {t('plan.save')}
          </Button>
        )}
        <Button size="small" look="primary" disabled={!plan.canStart} onClick={plan.start}>
          {t('plan.start')}
        </Button>
      </div>
    </section>
  );
}

function usePlan({ sessionId, turnId, made, onStarted }: StepsProps) {
  const client = useClient();
  const [draft, setDraft] = useDraft(`plan:${turnId}`);
  const [rows, setKept] = useState<readonly Row[]>(() => rowsOf(draft, made));
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const steps = rows.map(({ text }) => text.trim()).filter((text) => text !== '');
  const isChanged = steps.length !== made.length || steps.some((step, index) => step !== made[index]);
  const run = async (work: () => Promise<void>): Promise<void> => {
    setIsBusy(true);
    setProblem(null);
    try {
      await work();
      setDraft('');
    } catch (error) {
      setProblem(failureText(error));
    } finally {
      setIsBusy(false);
    }
  };
  return {
    rows,
    setRows: (next: readonly Row[]): void => {
      setKept(next);
      setDraft(JSON.stringify(next.map(({ text }) => text)));
    },
    problem,
    isChanged,
    canStart: !isBusy && steps.length > 0,
    save: (): void => void run(() => savePlan(client, { sessionId, turnId, steps })),
    start: (): void =>
      void run(async () => {
        await startPlan(client, { sessionId, turnId, made: steps, steps: isChanged ? steps : null });
        onStarted();
      }),
  };
}

function moved(rows: readonly Row[], at: number, by: 1 | -1): readonly Row[] {
  const next = [...rows];
  const [row] = next.splice(at, 1);
  if (row !== undefined) next.splice(at + by, 0, row);
  return next;
}

function nextKey(rows: readonly Row[]): number {
  return Math.max(-1, ...rows.map(({ key }) => key)) + 1;
}

/** Unsaved changes survive a restart. */
function rowsOf(draft: string, made: readonly string[]): readonly Row[] {
  const kept: unknown = draft === '' ? null : JSON.parse(draft);
  const texts = Array.isArray(kept) ? kept.map(String) : made;
  return texts.map((text, key) => ({ key, text }));
}

/** A step has less room than a message, because its buttons stand beside it. */
const stepCharacters = 52;

interface StepFieldProps {
  readonly row: Row;
  readonly number: number;
  readonly count: number;
  readonly onText: (text: string) => void;
  readonly onMove: (by: 1 | -1) => void;
  readonly onRemove: () => void;
}

function StepField({ row, number, count, onText, onMove, onRemove }: StepFieldProps) {
  return (
    <li className="flex items-start gap-1.5">
      <span aria-hidden className="w-5 pt-1.5 text-right text-xs text-soft">
        {number}
      </span>
      <textarea
        data-plan-step
        dir="auto"
        rows={textRows(row.text, 1, 8, stepCharacters)}
        aria-label={t('plan.step', { number })}
        value={row.text}
        onChange={({ target }) => onText(target.value)}
        className="min-w-0 flex-1 resize-none rounded-md border border-line-strong bg-raised px-2 py-1 text-sm [field-sizing:content]"
      />
      <IconButton icon="send" label={t('plan.up', { number })} disabled={number === 1} onClick={() => onMove(-1)} />
      <IconButton
        icon="down"
        label={t('plan.down', { number })}
        disabled={number === count}
        onClick={() => onMove(1)}
      />
      <IconButton icon="close" label={t('plan.remove', { number })} disabled={count === 1} onClick={onRemove} />
    </li>
  );
}
