import type { FenceHit } from '@shared/safety/fences.ts';
import type { Strategy, ModelInfo, Where } from '@shared/models/model-info.ts';
import type { RouteDetail, RoutingNumbers, TurnPolicy } from '@shared/routing/routing.ts';
import type { Trajectory } from './trajectory/trajectory.ts';
import type { Purpose } from '@shared/events/call-events.ts';

/** Which layer had the last word: L0 hard rules, L1 start of the task, L2 score, L3 answer, L4 end, L5 cascade. */
export type Layer = RouteDetail['layer'];

export type Vote = RouteDetail['votes'][number];

/** Something that could make the step. */
export interface RouteCandidate {
  readonly info: ModelInfo;
  /** Tokens of the call's prompt as this model would get it, on the safe side. */
  readonly promptTokens: number;
  readonly maxOutputTokens: number;
  /** Whether it passed the probe for this way of driving, or was asked for. */
  readonly canDrive: boolean;
}

/** What keeps a step from somewhere whatever any score says; the sentence is for people. */
export interface Denial {
  readonly code: 'fence' | 'policy' | 'pin' | 'budget' | 'capability' | 'context-fit' | 'offline' | 'gave-up';
  readonly text: string;
}

/** A rule of a person that applies to this step. */
export interface Pin {
  readonly where: Where;
  readonly text: string;
}

/** The task in numbers, taken from its words once a turn. */
export interface TaskFeatures {
  readonly characters: number;
  readonly files: number;
  readonly hasTrace: boolean;
  readonly hasCriterion: boolean;
  readonly isQuestion: boolean;
  /** Words of work that weak models get wrong: races, security, migrations. */
  readonly riskyWords: number;
  /** Words of work that is done by rote: names, texts, comments. */
  readonly roteWords: number;
  /** It asks for something that is not there yet; absent in logs of an older conduct. */
  readonly makesNew?: boolean;
}

/** Everything a step is decided by. It all follows from the log, so that a replay decides the same. */
export interface RouteFacts {
  readonly purpose: Purpose;
  readonly strategy: Strategy;
  readonly policy: TurnPolicy;
  readonly numbers: RoutingNumbers;
  /** Of a question apart from the conversation: the model of its stage. */
  readonly driver?: string;
  /** In the order of the cascade; one here and one in the cloud at most. */
  readonly candidates: readonly RouteCandidate[];
  /**
   * What the fences found that the conversation would carry to the cloud, when it was about to go there; what a person has
   * allowed is left out. It is in the log as `call-fenced`, and the door to every call has the last word.
   */
  readonly taint: readonly FenceHit[];
  /** Why the cloud is shut for the rest of this turn, where something at the door said so. */
  readonly shut: Denial | null;
  readonly pin: Pin | null;
  readonly needs: { readonly images: boolean; readonly tools: boolean };
  /** What the tightest cap leaves for the next call, in US dollars; null: there is no cap that is known here. */
  readonly budgetLeftUsd: number | null;
  /** Which one that is, in words: "for this month". */
  readonly budgetCap?: string;
  readonly task: TaskFeatures;
  readonly trajectory: Trajectory;
  /** Why the person wants the cloud now where both may: this machine is under strain. Absent: it is not. */
  readonly strain?: string;
  /** Of a review: what was called done passes tests that leave room for doubt, or was not tested at all. */
  readonly isDoubtful?: boolean;
  /** The tests passed before the work began, so that they pass says nothing of it; absent in logs of an older conduct. */
  readonly wasGreenBefore?: boolean;
  /** What just ended the work of the model that drove; null: nothing did. */
  readonly trouble: Trouble | null;
  /** The stamp of the last event: no clock is asked. */
  readonly now: number;
}

/** The model that drove cannot go on. `cause` decides what can help. */
export interface Trouble {
  readonly model: string;
  readonly cause: 'no-progress' | 'format' | 'checks' | 'transport' | 'window';
  readonly text: string;
}

/** What voting rules see: plain numbers, which are also what is kept to learn from. */
export type Features = Readonly<Record<string, number>>;

/** A rule votes on where a step runs; votes are summed, so their order does not matter. Must be pure. */
export interface Rule {
  readonly id: string;
  /** Empty: nothing to say. Weights are in units of log odds that the cloud gains something here. */
  vote(features: Features): readonly Omit<Vote, 'rule'>[];
}

export function defineRule(rule: Rule): Rule {
  return rule;
}

/** One candidate as it was weighed. Money and time of this call, and of what is expected to the end. Null: not known. */
export type WeighedCandidate = RouteDetail['options'][number];

export interface Decision {
  /** Null: nobody may make this step; `text` says why. */
  readonly chosen: RouteCandidate | null;
  readonly runnerUp: RouteCandidate | null;
  readonly layer: Layer;
  readonly code: string;
  readonly text: string;
  readonly votes: readonly Vote[];
  readonly options: readonly WeighedCandidate[];
  /** The chance that the cloud does the rest and this machine does not, by the votes. */
  readonly gain: number | null;
  readonly features: Features;
  /** Before this step the other model is asked for advice from a handoff. */
  readonly wantsAdvice: boolean;
  /** It would have gone to the cloud, had there been a network. */
  readonly isDegraded: boolean;
}
