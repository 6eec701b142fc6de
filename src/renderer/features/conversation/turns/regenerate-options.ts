import type { MessageState, TurnState } from '@shared/session/session-state.ts';
import type { ChosenOptions } from '@shared/session/chosen-options.ts';
import type { ModelPick } from '../../../lib/models/model-options.ts';
import { optionsOfPick } from '../../../lib/models/model-options.ts';
import type { SendOptions } from '../../../lib/session/session-commands.ts';

/** The options with which a message is answered again: the models of a pick, and all else as it was for the turn. */
export function regenerateOptions(pick: ModelPick, turn: TurnState, message: MessageState): SendOptions {
  const { mode = turn.mode === 'plan' ? 'plan' : undefined, assistant } = chosenFor(turn, message);
  return {
    ...optionsOfPick(pick),
    ...limitsOf(turn),
    ...(mode === undefined ? {} : { mode }),
    ...(assistant === undefined ? {} : { assistant }),
  };
}

/** The models of the turn as they were chosen then. The settings may have changed since. */
export function pickOfTurn(turn: TurnState, message: MessageState): ModelPick {
  const { cascade } = turn;
  const { mode: _mode, assistant: _assistant, ...chosen } = chosenFor(turn, message);
  const local = cascade.find(({ where }) => where === 'local')?.model;
  const cloud = cascade.find(({ where }) => where === 'cloud')?.model;
  const policy =
    local === undefined ? (cloud === undefined ? null : 'cloud') : cloud === undefined ? 'local' : 'hybrid';
  return {
    ...chosen,
    policy: chosen.policy ?? policy,
    ...(local === undefined ? {} : { local }),
    ...(cloud === undefined ? {} : { cloud }),
  };
}

/** What was chosen for the message. An older log has only the assistant that answered. */
function chosenFor({ assistant }: TurnState, { chosen }: MessageState): ChosenOptions {
  return { ...(assistant === undefined ? {} : { assistant }), ...chosen };
}

function limitsOf({ limits, check }: TurnState): Pick<SendOptions, 'maxUsd' | 'check'> {
  return {
    ...(limits.maxUsd === null ? {} : { maxUsd: limits.maxUsd }),
    ...(check?.source === 'option' ? { check: check.command } : {}),
  };
}
