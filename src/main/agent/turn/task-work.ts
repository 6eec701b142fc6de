import type { FenceHit } from '@shared/safety/fences.ts';
import type { ModelInfo, Stage } from '@shared/models/model-info.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import type { EarlierAttempt, Recipe, RecipeFit } from '../../recipes/define.ts';
import type { Denial, SpentOption, Trouble, Way } from '../../routing/define.ts';
import type { PromptShape } from '../prompt/build-prompt.ts';
import type { ResolvedModel } from './agent-dependencies.ts';
import type { LimitStop } from './turn-limits.ts';
import type { TurnBaseline, TurnEnd } from './turn-baseline.ts';
import type { Turn } from './turn.ts';

export interface FittingRecipe {
  readonly recipe: Recipe;
  readonly fit: RecipeFit;
}

/** A model that can be called, and how it is driven. */
export interface ReadyModel {
  readonly stage: Stage;
  readonly model: ResolvedModel;
}

/** A model that works on the task now, and how. */
export interface Worker extends ReadyModel {
  /** The stronger model that may judge its result, as it was decided; null: none. */
  readonly reviewer: ReadyModel | null;
}

/** A model that drives the loop, with the form of its prompt. */
export interface Driver extends Worker {
  readonly shape: PromptShape;
}

/** A change that passes its tests but that a stronger model did not approve. It was reverted. */
export interface DoubtedChange {
  /** How the turn ends if no model finds a better change and this one is applied again. */
  readonly end: TurnEnd;
  /** The change is the recorded changes of the turn from index `from` up to, not including, `to`. */
  readonly from: number;
  readonly to: number;
}

/** What a piece of work came to: a recipe to its end, or one step of the loop. */
export type WorkOutcome =
  /** The loop goes on with its next step, or the person chose another model for a recipe. */
  | { readonly type: 'goes-on' }
  | { readonly type: 'ended'; readonly end: TurnEnd }
  /** This way makes no progress. If no other may try, the turn ends with `end`. */
  | {
      readonly type: 'gave-up';
      readonly end: TurnEnd;
      readonly cause: Trouble['cause'];
      /** The recipe was cut off by a limit of its own. */
      readonly isCut?: boolean;
      readonly doubted?: DoubtedChange;
    }
  /** A limit of the turn was reached. */
  | { readonly type: 'stopped'; readonly stop: LimitStop };

/** The work on one task, from decision to decision. */
export interface TaskWork {
  readonly turn: Turn;
  readonly known: TurnBaseline;
  /** The recipe that fits the task; null: none. */
  readonly fitting: FittingRecipe | null;
  /** A failing test judges each try of that recipe. */
  readonly isRecipeChecked: boolean;
  /** The connected tool that is called first; null: none. */
  readonly wanted: string | null;
  ways: readonly Way[];
  /** Null: nothing has worked yet. `isLeft`: the person chose anew since. */
  current: (Way & { readonly reason: string; readonly isLeft?: boolean }) | null;
  /** The number of ways that have worked. */
  entered: number;
  spent: readonly SpentOption[];
  /** What the last piece of work ended with, until the next decision. */
  trouble: Trouble | null;
  readonly door: CloudDoor;
  /** How the turn ends if nothing else may work. */
  last: TurnEnd;
  /** What the recipe tried before it gave up; null: it did not work yet. */
  tried: EarlierAttempt | null;
  doubted: DoubtedChange | null;
  readonly loop: LoopMemory;
}

/** What keeps the conversation from the cloud. */
export interface CloudDoor {
  /** Why the cloud is not used for the rest of the turn. */
  shut: Denial | null;
  /** What the fences found when the conversation was last about to go there, without what the user allowed. */
  taint: readonly FenceHit[];
  /** A request that passed the fences before a move: as built, and as it may be sent. Null: it was sent. */
  passed: { readonly built: ModelRequest; readonly request: ModelRequest } | null;
}

/** What the loop remembers from step to step. */
export interface LoopMemory {
  readonly shapes: Map<ModelInfo, PromptShape>;
  /** The number of answers in a row that could not be used. */
  unusableAnswers: number;
  /** The beginning of an answer in words that was cut off; the rest comes next. Empty: none. */
  cutText: string;
  /** The tool of the next call; null: the model chooses. */
  wanted: string | null;
  /** The user asked for a summary of the conversation, and it is not done yet. */
  isToCompact: boolean;
  /** The tokens of the longest request that was answered. */
  acceptedTokens: number;
  /** The model whose claim to be done a failing check has answered once; null: none. */
  objectedTo: string | null;
  /** The objections so far. Each model is told the same one once. */
  readonly objectionsRaised: Set<string>;
  /** Models that gave up in the loop and continued again, each once. */
  readonly reopened: Set<string>;
  /** The model was told that a spending limit is near. */
  isToldOfMoney: boolean;
  /** Models that a reviewer asked to do the work again. */
  readonly redone: Set<string>;
}
