import { checkCriterion, isWorse } from '../gate/check-criterion.ts';
import { takeAction } from '../turn/take-action.ts';
import type { ChangingTurn } from '../turn/turn.ts';
import type { TurnBaseline } from '../turn/turn-baseline.ts';

/**
 * A turn that ends without having done its task must not leave the project worse than it found it: when fewer tests
 * pass than before, its changes are taken back. They stay in the log, so a person can have them again.
 */
export async function revertWorseChanges(turn: ChangingTurn, work: TurnBaseline): Promise<void> {
  if (work.criterion === null || work.before === null || turn.progress.okWrites === 0) return;
  const { lastCheck, okWrites } = turn.progress;
  const isFresh = lastCheck !== null && lastCheck.okWrites === okWrites;
  const after = isFresh ? lastCheck.check : await checkCriterion(turn, work.criterion, 'after');
  if (!isWorse(work.before, after)) return;
  await takeAction(
    turn,
    {
      tool: 'take_back',
      label: 'revert the changes: fewer tests pass than before',
      input: {},
      run: async (toolCallId) => {
        const { back, kept } = await turn.changes.revert(turn.changes.recorded(), toolCallId);
        const lines = [...back.map((path) => `${path}: put back`), ...kept.map((path) => `${path}: left as it is`)];
        return { status: 'ok', output: lines.join('\n'), data: null };
      },
    },
    () => null,
  );
  const text =
    'The task was not done and fewer tests passed than before, so the changes were reverted. `dewpoint changes` can restore them.';
  await turn.log.append({ type: 'notice-added', level: 'warning', code: 'changes-taken-back', text });
}
