import type { FenceHit } from '@shared/safety/fences.ts';
import type { ModelInfo, Strategy, Where } from '@shared/models/model-info.ts';
import type { RouteDetail, RoutingNumbers, TurnPolicy } from '@shared/routing/routing.ts';
import type { Trajectory } from './trajectory/trajectory.ts';
import type { Purpose } from '@shared/events/call-events.ts';

/** The layer that decided: L0 hard rules, L1 start of the task, L2 score, L3 answer, L4 end, L5 cascade. */
export type Layer = RouteDetail['layer'];

export type Vote = RouteDetail['votes'][number];

/** A model, with its thinking effort and price, and a strategy to drive it. */
export interface Way {
  readonly info: ModelInfo;
  readonly strategy: Strategy;
  /** Whether it passed the probe for this strategy, or was requested. */
  readonly canDrive: boolean;
}

/** What may be chosen for the next piece of work. */
export interface ModelOption extends Way {
  /** Tokens of the prompt as this model would get it, on the safe side. */
  readonly promptTokens: number;
  readonly maxOutputTokens: number;
}

/** Why a step must not run somewhere, whatever its score; `text` is for the user. */
export interface Denial {
  readonly code: 'fence' | 'policy' | 'pin' | 'budget' | 'capability' | 'context-fit' | 'offline' | 'gave-up';
  readonly text: string;
}

/** A routing rule of the user that applies to this step. */
export interface Pin {
  readonly where: Where;
  readonly text: string;
}

/** The task in numbers, mostly from its words. */
export interface TaskFeatures {
  readonly characters: number;
  readonly files: number;
  readonly hasTrace: boolean;
  readonly hasCheck: boolean;
  /** No message of the turn asks for work: as its mode says, or without one its words. */
  readonly isQuestion: boolean;
  /** Words for work that weak models get wrong: races, security, migrations. */
  readonly riskyWords: number;
  /** Words for routine work: names, texts, comments. */
  readonly roteWords: number;
  /** The task asks for something that does not exist yet; absent in logs of older behavior. */
  readonly makesNew?: boolean;
}

/** Everything that decides a step. It all follows from the log, so that a replay decides the same. */
export interface ChoiceFacts {
  readonly purpose: Purpose;
  readonly policy: TurnPolicy;
  readonly numbers: RoutingNumbers;
  /** For a question outside the conversation: the model of its stage. In one: the model whose question is answered. */
  readonly driver?: string;
  /** The person chose the models anew since the last decision of this turn. Absent: no. */
  readonly isChosenAnew?: boolean;
  /** In the person's order of models, the smallest first, and each model's strategies with the best first. */
  readonly options: readonly ModelOption[];
  /** What was tried in this turn and does not go on. */
  readonly spent: readonly SpentOption[];
  /**
   * What the fences found in the conversation when it was about to go to the cloud, without what the user allowed. The
   * log has it as `call-fenced`. The fences still check every call.
   */
  readonly taint: readonly FenceHit[];
  /** Why the cloud is not used for the rest of this turn, if a fence or limit stopped it. */
  readonly shut: Denial | null;
  readonly pin: Pin | null;
  readonly needs: { readonly images: boolean };
  /** What the tightest spending limit leaves for the next call, in US dollars; null: no limit is known here. */
  readonly budgetLeftUsd: number | null;
  /** That limit in words: "for this month". */
  readonly budgetCap?: string;
  readonly task: TaskFeatures;
  /** A failing test judges each try of a recipe; if all fail, the recipe leaves nothing behind. */
  readonly isRecipeChecked: boolean;
  readonly trajectory: Trajectory;
  /**
   * Why the user's settings prefer the cloud now if both are allowed: this machine is under strain. Absent: it is not.
   */
  readonly strain?: string;
  /** For a review: the work passes tests that leave room for doubt, or was not tested. */
  readonly isDoubtful?: boolean;
  /** Why the last option just gave up; null: it did not. */
  readonly trouble: Trouble | null;
  /** The stamp of the last event. No clock is used. */
  readonly now: number;
}

/** An option that was tried and gave up. */
export interface SpentOption {
  readonly model: string;
  /** Null: every strategy of this model, because its provider does not answer. */
  readonly strategy: Strategy | null;
  /** What happened, for the user. */
  readonly text: string;
}

/** The option that worked cannot go on. `cause` decides what can help. */
export interface Trouble {
  readonly model: string;
  readonly strategy: Strategy;
  readonly cause: 'no-progress' | 'format' | 'checks' | 'transport' | 'window';
  readonly text: string;
  /** It found a change that a stronger model does not approve, so only a stronger model can do better. Absent: no. */
  readonly isDoubted?: boolean;
}

/** What voting rules see: plain numbers, which are also kept to learn from. */
export type Features = Readonly<Record<string, number>>;

/** The names of the two models that are compared, as the user knows them. */
export interface PairNames {
  readonly weaker: string;
  readonly stronger: string;
}

/** A rule votes on where a step runs. Votes are summed, so their order does not matter. Must be pure. */
export interface Rule {
  readonly id: string;
  /** Empty: no vote. Weights are in log odds that the stronger model gains something here. */
  vote(features: Features, names: PairNames): readonly Omit<Vote, 'rule'>[];
}

export function defineRule(rule: Rule): Rule {
  return rule;
}

/** Two options that are compared: what the stronger one gains over the weaker one. */
export interface Pair {
  /** Null: there is only the other. */
  readonly weaker: ModelOption | null;
  readonly stronger: ModelOption | null;
  /**
   * How much of the way from the weaker to the strongest option this stronger one goes, 0 to 1. The votes say what the
   * strongest gains. Where both have a record: of all that the weaker one misses.
   */
  readonly share: number;
  /** The chance, by both records, that the weaker one does it and the stronger one does not. Absent: nothing says so. */
  readonly loss?: number;
}

/** An option with its weights: money and time of this call, and of the expected rest of the task. Null: unknown. */
export type WeighedOption = RouteDetail['options'][number];

/** What works next, why, and what came second. */
export interface Decision {
  /** Null: the work stops, because no option may go on; `text` says why. */
  readonly chosen: ModelOption | null;
  /** A recipe works to its end, the loop makes one step; then it is decided again. */
  readonly until: 'end' | 'step';
  readonly runnerUp: ModelOption | null;
  /** The model that judges the result if that is worth its price; null: none is stronger, or none may. */
  readonly reviewer: ModelOption | null;
  readonly layer: Layer;
  readonly code: string;
  readonly text: string;
  /** The person's choice for this kind of task, as a sentence. */
  readonly ofKind?: string;
  /** What would change the decision; empty: nothing that is known. */
  readonly otherwise: string;
  readonly votes: readonly Vote[];
  readonly options: readonly WeighedOption[];
  /** The chance, by the votes, that the stronger of the two does the rest and the other does not. */
  readonly gain: number | null;
  readonly features: Features;
  /** The stronger model that is asked for advice from a handoff before this step; null: none. */
  readonly adviser: ModelOption | null;
  /** The step would have gone to the cloud if there were a network. */
  readonly isDegraded: boolean;
}

/** What a layer decides, before the rest of the decision is filled in. */
export type Verdict = Pick<Decision, 'chosen' | 'layer' | 'code' | 'text'> &
  Partial<Pick<Decision, 'adviser' | 'isDegraded' | 'otherwise'>>;
