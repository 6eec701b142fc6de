import type { FenceHit } from '@shared/safety/fences.ts';
import type { Strategy, ModelInfo, Where } from '@shared/models/model-info.ts';
import type { RouteDetail, RoutingNumbers, TurnPolicy } from '@shared/routing/routing.ts';
import type { Trajectory } from './trajectory/trajectory.ts';
import type { Purpose } from '@shared/events/call-events.ts';

/** The layer that decided: L0 hard rules, L1 start of the task, L2 score, L3 answer, L4 end, L5 cascade. */
export type Layer = RouteDetail['layer'];

export type Vote = RouteDetail['votes'][number];

/** A model that could make the step. */
export interface RouteCandidate {
  readonly info: ModelInfo;
  /** Tokens of the prompt as this model would get it, on the safe side. */
  readonly promptTokens: number;
  readonly maxOutputTokens: number;
  /** Whether it passed the probe for this strategy, or was requested. */
  readonly canDrive: boolean;
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

/** The task in numbers, computed from its words once per turn. */
export interface TaskFeatures {
  readonly characters: number;
  readonly files: number;
  readonly hasTrace: boolean;
  readonly hasCriterion: boolean;
  readonly isQuestion: boolean;
  /** Words for work that weak models get wrong: races, security, migrations. */
  readonly riskyWords: number;
  /** Words for routine work: names, texts, comments. */
  readonly roteWords: number;
  /** The task asks for something that does not exist yet; absent in logs of older behavior. */
  readonly makesNew?: boolean;
}

/** Everything that decides a step. It all follows from the log, so that a replay decides the same. */
export interface RouteFacts {
  readonly purpose: Purpose;
  readonly strategy: Strategy;
  readonly policy: TurnPolicy;
  readonly numbers: RoutingNumbers;
  /** For a question outside the conversation: the model of its stage. */
  readonly driver?: string;
  /** In the order of the cascade; at most one local and one cloud model. */
  readonly candidates: readonly RouteCandidate[];
  /**
   * What the fences found in the conversation when it was about to go to the cloud, without what the user allowed. The
   * log has it as `call-fenced`. The fences still check every call.
   */
  readonly taint: readonly FenceHit[];
  /** Why the cloud is not used for the rest of this turn, if a fence or limit stopped it. */
  readonly shut: Denial | null;
  readonly pin: Pin | null;
  readonly needs: { readonly images: boolean; readonly tools: boolean };
  /** What the tightest spending limit leaves for the next call, in US dollars; null: no limit is known here. */
  readonly budgetLeftUsd: number | null;
  /** That limit in words: "for this month". */
  readonly budgetCap?: string;
  readonly task: TaskFeatures;
  readonly trajectory: Trajectory;
  /**
   * Why the user's settings prefer the cloud now if both are allowed: this machine is under strain. Absent: it is not.
   */
  readonly strain?: string;
  /** For a review: the work passes tests that leave room for doubt, or was not tested. */
  readonly isDoubtful?: boolean;
  /** The tests passed before the work began, so that passing now says nothing; absent in logs of older behavior. */
  readonly wasGreenBefore?: boolean;
  /** Why the driving model just failed; null: it did not. */
  readonly trouble: Trouble | null;
  /** The stamp of the last event. No clock is used. */
  readonly now: number;
}

/** The driving model cannot continue. `cause` decides what can help. */
export interface Trouble {
  readonly model: string;
  readonly cause: 'no-progress' | 'format' | 'checks' | 'transport' | 'window';
  readonly text: string;
}

/** What voting rules see: plain numbers, which are also kept to learn from. */
export type Features = Readonly<Record<string, number>>;

/** A rule votes on where a step runs. Votes are summed, so their order does not matter. Must be pure. */
export interface Rule {
  readonly id: string;
  /** Empty: no vote. Weights are in log odds that the cloud gains something here. */
  vote(features: Features): readonly Omit<Vote, 'rule'>[];
}

export function defineRule(rule: Rule): Rule {
  return rule;
}

/** A candidate with its weights: money and time of this call, and of the expected rest of the task. Null: unknown. */
export type WeighedCandidate = RouteDetail['options'][number];

export interface Decision {
  /** Null: no model may make this step; `text` says why. */
  readonly chosen: RouteCandidate | null;
  readonly runnerUp: RouteCandidate | null;
  readonly layer: Layer;
  readonly code: string;
  readonly text: string;
  readonly votes: readonly Vote[];
  readonly options: readonly WeighedCandidate[];
  /** The chance, by the votes, that the cloud does the rest and the local model does not. */
  readonly gain: number | null;
  readonly features: Features;
  /** The other model is asked for advice from a handoff before this step. */
  readonly wantsAdvice: boolean;
  /** The step would have gone to the cloud if there were a network. */
  readonly isDegraded: boolean;
}
