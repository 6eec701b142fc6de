import type { EventOf } from '@shared/events/events.ts';
import type { Stage } from '@shared/models/model-info.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import type { Trouble } from '../define.ts';

/** Why the stage before was left; null: none was, or another model goes on for a gain. */
export type StageCause = EventOf<'stage-chosen'>['cause'];

/** How the stage that ran was left. */
export type StageExit =
  | {
      readonly type: 'gave-up';
      readonly cause: Trouble['cause'];
      /** What failed is the service of its model: no other way of driving it would do better. */
      readonly isModelOut: boolean;
      /** It found a change that a stronger model does not approve of: only the cloud could do better. */
      readonly isDoubted: boolean;
    }
  | {
      readonly type: 'stopped';
      readonly cause: 'cap' | 'fence';
      /** The local model that may go on where the cloud may not; null: nobody may. */
      readonly goesOnWith: string | null;
    };

/** A stage that was entered. */
export interface EnteredStage {
  readonly stage: Stage;
  readonly cause: StageCause;
  /** Its place in the turn: stages that were passed over count. */
  readonly index: number;
}

export interface NextStage extends EnteredStage {
  /** The other loop stages that were left: a loop is one stage, and each of these models may drive it. */
  readonly alsoLoop: readonly Stage[];
}

export interface CascadeStep {
  /** Null: there is no stage left. */
  readonly next: NextStage | null;
  /** On the way to it a cloud stage was passed over, for the cloud is out of reach. */
  readonly isCloudUnasked: boolean;
}

/** The stages of one turn: which is next, and why. The only way by which another model goes on. */
export interface Cascade {
  /** Leaves the stage that runs and enters the next one. Null: it is the first. */
  readonly next: (exit: StageExit | null) => CascadeStep;
  /** Another model goes on within the loop that runs. Who that is, the router decided. */
  readonly handOver: (stage: Stage, cause: StageCause) => EnteredStage;
  /** What may still come, in order. */
  readonly left: () => readonly Stage[];
}

/** `reach`: asked when a stage is about to be entered. What is missing is passed over in silence. */
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

/** What would cost money, or leave the machine, is left out; where nothing else is left the local model drives a loop. */
function stagesHere(local: string | null, left: readonly Stage[]): readonly Stage[] {
  if (local === null) return [];
  const here = left.filter(({ model }) => model === local);
  return here.length > 0 ? here : [{ strategy: 'loop', model: local, where: 'local' }];
}

function isLoop({ strategy }: Stage): boolean {
  return strategy === 'loop';
}

/** Whether work that a cap or a fence has stopped goes on with a local model: as was answered, else as the turn was asked for. */
export function goesOnHere(
  stop: { readonly reason: string; readonly goesOnLocally?: boolean | undefined },
  atCap: RunOptions['atCap'],
): boolean {
  return stopCause(stop) !== null && (stop.goesOnLocally ?? atCap === 'local');
}

/** Null: another limit, which ends the turn. */
export function stopCause({ reason }: { readonly reason: string }): 'cap' | 'fence' | null {
  if (reason === 'cap') return 'cap';
  return reason === 'fenced' ? 'fence' : null;
}
