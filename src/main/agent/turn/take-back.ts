import { runCheck, isWorse } from '../gate/run-check.ts';
import { takeAction } from './take-action.ts';
import type { DoubtedChange } from './task-work.ts';
import type { TurnBaseline } from './turn-baseline.ts';
import type { ChangingTurn, Turn } from './turn.ts';

/**
 * Reverts the changes of a turn that did not do its task if fewer tests pass than before. The changes stay in the log,
 * so the user can apply them again.
 */
export async function revertWorseChanges(turn: ChangingTurn, work: TurnBaseline): Promise<void> {
  if (work.check === null || work.before === null || turn.progress.okWrites === 0) return;
  const { lastCheck, okWrites } = turn.progress;
  const isFresh = lastCheck !== null && lastCheck.okWrites === okWrites;
  const after = isFresh ? lastCheck.check : await runCheck(turn, work.check, 'after');
  if (!isWorse(work.before, after)) return;
  await revertFrom(turn, 0, {
    label: 'revert the changes: fewer tests pass than before',
    told: (path) => `${path}: put back`,
  });
  const text =
    'The task was not done and fewer tests passed than before, so the changes were reverted. `dewpoint changes` can restore them.';
  await turn.log.append({ type: 'notice-added', level: 'warning', code: 'changes-taken-back', text });
}

/** Applies a reverted, doubted change again when no model found a better one. False: its files have changed since. */
export async function reapplyDoubtedChange(turn: Turn, { from, to }: DoubtedChange): Promise<boolean> {
  return takeAction(
    turn,
    {
      tool: 'take_back',
      label: 'reapply the change: nothing better was found',
      input: {},
      run: async (toolCallId) => {
        const recorded = turn.files.changes.recorded();
        await turn.files.changes.revert(recorded.slice(to), toolCallId);
        const own = recorded.slice(from, to);
        const data = await turn.files.changes.reapply(own, { by: 'recipe', toolCallId });
        return { status: data ? 'ok' : 'error', output: own.map(({ path }) => path).join('\n'), data };
      },
    },
    (data) => data === true,
  );
}

/** Reverts what the turn changed from the recorded change `from` on. */
export async function revertChanges(turn: ChangingTurn, from: number, label: string): Promise<void> {
  await revertFrom(turn, from, { label, told: (path) => path });
}

/** `told`: how the log names a file that was put back. */
async function revertFrom(
  turn: ChangingTurn,
  from: number,
  { label, told }: { readonly label: string; readonly told: (path: string) => string },
): Promise<void> {
  await takeAction(
    turn,
    {
      tool: 'take_back',
      label,
      input: {},
      run: async (toolCallId) => {
        const { back, kept } = await turn.files.changes.revert(turn.files.changes.recorded().slice(from), toolCallId);
        const lines = [...back.map(told), ...kept.map((path) => `${path}: left as it is`)];
        return { status: 'ok', output: lines.join('\n'), data: null };
      },
    },
    () => null,
  );
}
