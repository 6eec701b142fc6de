import type { EventOf } from '@shared/events/events.ts';
import type { Stage } from '@shared/models/model-info.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import type { Trouble } from '../define.ts';

/** Why the previous stage was left; null: there was none, or another model continues because it is worth it. */
export type StageCause = EventOf<'stage-chosen'>['cause'];

/** How the running stage was left. */
export type StageExit =
  | {
      readonly type: 'gave-up';
      readonly cause: Trouble['cause'];
      /** The provider of its model failed, so no other strategy would help. */
      readonly isModelOut: boolean;
      /** It found a change that a stronger model does not approve, so only the cloud could do better. */
      readonly isDoubted: boolean;
    }
  | {
      readonly type: 'stopped';
      readonly cause: 'cap' | 'fence';
      /** The local model that may continue where the cloud may not; null: none. */
      readonly goesOnWith: string | null;
    };

export interface EnteredStage {
  readonly stage: Stage;
  readonly cause: StageCause;
  /** Its place in the turn, including skipped stages. */
  readonly index: number;
}

export interface NextStage extends EnteredStage {
  /** The remaining loop stages. Together they are one stage, and each of their models may drive the loop. */
  readonly alsoLoop: readonly Stage[];
}

export interface CascadeStep {
  /** Null: no stage is left. */
  readonly next: NextStage | null;
  /** A cloud stage was skipped because the cloud is unreachable. */
  readonly isCloudUnasked: boolean;
}

/** The stages of one turn: which comes next, and why. Models change only through this. */
export interface Cascade {
  /** Leaves the running stage and enters the next one. Null: this is the first. */
  readonly next: (exit: StageExit | null) => CascadeStep;
  /** Another model, which the router chose, continues within the running loop. */
  readonly handOver: (stage: Stage, cause: StageCause) => EnteredStage;
  /** The remaining stages, in order. */
  readonly left: () => readonly Stage[];
}

/** `reach`: called before a stage is entered. A missing stage is skipped without a notice. */
export function createCascade(
  stages: readonly Stage[],
  reach: (stage: Stage) => 'there' | 'missing' | 'offline',
): Cascade {
  let left = stages;
  let index = -1;
  let running: Stage | null = null;
  const enter = (stage: Stage, cause: StageCause): EnteredStage => {
    running = stage;
    return { stage, cause, index };
  };
  return {
    next: (exit) => {
      let isCloudUnasked = false;
      left = stagesAfter(exit, left, running);
      for (;;) {
        const [stage, ...rest] = left;
        if (stage === undefined) return { next: null, isCloudUnasked };
        left = rest;
        index += 1;
        const reached = reach(stage);
        if (reached === 'offline') isCloudUnasked = true;
        if (reached !== 'there') continue;
        const alsoLoop = stage.strategy === 'loop' ? left.filter(isLoop) : [];
        if (stage.strategy === 'loop') left = left.filter((one) => !isLoop(one));
        return { next: { ...enter(stage, exit?.cause ?? null), alsoLoop }, isCloudUnasked };
      }
    },
    handOver: (stage, cause) => {
      index += 1;
      return enter(stage, cause);
    },
    left: () => left,
  };
}

function stagesAfter(exit: StageExit | null, left: readonly Stage[], running: Stage | null): readonly Stage[] {
  if (exit === null) return left;
  if (exit.type === 'stopped') return stagesHere(exit.goesOnWith, left);
  const kept = exit.isDoubted ? left.filter(({ where }) => where === 'cloud') : left;
  return exit.isModelOut ? kept.filter(({ model }) => model !== running?.model) : kept;
}

/**
 * The remaining stages that cost no money and stay on this machine. If there are none, the local model drives a loop.
 */
function stagesHere(local: string | null, left: readonly Stage[]): readonly Stage[] {
  if (local === null) return [];
  const here = left.filter(({ model }) => model === local);
  return here.length > 0 ? here : [{ strategy: 'loop', model: local, where: 'local' }];
}

function isLoop({ strategy }: Stage): boolean {
  return strategy === 'loop';
}

/**
 * Whether work that a spending limit or fence stopped continues with a local model: by the answer, otherwise by the
 * turn's option.
 */
export function goesOnHere(
  stop: { readonly reason: string; readonly goesOnLocally?: boolean | undefined },
  atCap: RunOptions['atCap'],
): boolean {
  return stopCause(stop) !== null && (stop.goesOnLocally ?? atCap === 'local');
}

/** Null: a different limit, which ends the turn. */
export function stopCause({ reason }: { readonly reason: string }): 'cap' | 'fence' | null {
  if (reason === 'cap') return 'cap';
  return reason === 'fenced' ? 'fence' : null;
}
