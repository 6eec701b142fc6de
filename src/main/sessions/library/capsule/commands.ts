import { type ReplayParts, runReplayTurn } from '../../../agent/replay/replay-turn.ts';
import { abortable } from '../../../lib/async/abort.ts';
import type { Handlers } from '../../../server/handlers.ts';
import { makeCapsule, planCapsule, type CapsuleOptions } from './make-capsule.ts';
import { checkCapsule, unpackCapsule } from './read-capsule.ts';

/** Handlers for capsules: a task in one file. `engine`: the current engine, which replays a log. */
export function createCapsuleCommands({
  engine,
  ...given
}: Omit<CapsuleOptions, 'runTurn'> & { readonly engine: ReplayParts }): Handlers['capsules'] {
  const options: CapsuleOptions = { ...given, runTurn: (turn) => runReplayTurn(turn, engine) };
  return {
    plan: ({ input, signal }) => abortable(planCapsule(options, input, signal), signal),
    make: ({ input, signal }) => makeCapsule(options, input, signal),
    check: ({ input, signal }) => abortable(checkCapsule(options, input.path, signal), signal),
    unpack: ({ input, signal }) => unpackCapsule(options, input, signal),
  };
}
