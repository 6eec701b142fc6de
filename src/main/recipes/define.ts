import type { EngineReport, Timings } from '@shared/events/call-report.ts';
import type { Message, Part } from '@shared/models/model-messages.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { ParsedCall } from '../agent/calls/call-types.ts';
import type { Entry, Exchange } from '../agent/prompt/conversation.ts';
import type { ProjectFacts } from '../projects/facts/project-facts.ts';
import type { ModelRequest, OutputForm, ToolSpec } from '../models/providers/define.ts';
import type { ExecResult, ListEntry, SearchQuery, SearchResult } from '../sandbox/sandbox.ts';
import type { Confidence } from '@shared/events/turn-events.ts';
import type { Purpose } from '@shared/events/call-events.ts';

/**
 * A recipe is a program that gathers facts, asks a model only for what a model is good at, applies and verifies.
 * It touches the world only through its context: `ask` is a step (a model call), everything in `world` is an action.
 * Both are logged, so a recorded run can be played again without either.
 */
export interface Recipe {
  readonly id: string;
  readonly label: string;
  /** Whose questions hold the project's instructions; absent: those of every model. */
  readonly instructions?: 'large-models';
  /** How long it looks for something that passes before it gives up, in seconds. Absent or undefined: all of its time. */
  readonly giveUpSeconds?: (conduct: number) => number | undefined;
  /** How well the task fits, by facts of the project and the task. Null: not at all. Must not ask a model. */
  fits(subject: RecipeSubject): RecipeFit | null;
  run(context: RecipeContext): Promise<RecipeOutcome>;
}

export interface RecipeSubject {
  readonly task: string;
  readonly plan: boolean;
  /** What the message is taken for, where that is settled; else its words say it. */
  readonly wish?: 'ask' | 'work' | undefined;
  readonly facts: ProjectFacts;
  readonly criterion: Criterion | ExampleCriterion | null;
  /** Whether the success criterion was met before any work; null: there is none, it was not run, or it fails for something else. */
  readonly criterionMet: boolean | null;
  /** What was said before in this session, oldest first; what a text like "And why?" is about. */
  readonly earlier: readonly Exchange[];
  /** Null without a sandbox for commands: questions and plans only. */
  readonly canExecute: boolean;
}

export interface RecipeFit {
  /** 0 to 1; the highest runs, ties go to the first by id. */
  readonly score: number;
  readonly reason: string;
}

export interface Criterion {
  readonly command: string;
  readonly source: 'option' | 'project';
}

/** One example that the task itself gives, where nothing better judges. */
export interface ExampleCriterion {
  readonly command: string;
  readonly source: 'text';
}

export type RecipeOutcome =
  /** The change lies in the workspace (or the answer in `text`), and the criterion was seen to hold. */
  | {
      readonly type: 'done';
      readonly text: string;
      readonly confidence: Confidence;
      /** For the next stage, where the change is doubted and taken back. */
      readonly facts?: string;
    }
  | { readonly type: 'answered'; readonly text: string }
  | { readonly type: 'planned'; readonly text: string }
  /** The workspace is as it was found. `facts` is for the next stage: suspects and their source, near misses, what was tried (6,000 tokens at most). */
  | {
      readonly type: 'gave-up';
      readonly reason: string;
      readonly facts: string;
      /** Its time was up before it had tried all that it would. */
      readonly isCut?: boolean;
    };

/** The same program found nothing in this turn with another model. */
export interface EarlierAttempt {
  readonly isCut: boolean;
  /** How many answers are worth asking for now; null: as many as at first. */
  readonly tries: number | null;
}

export interface RecipeContext extends RecipeSubject {
  /** Null: it is the first to try. */
  readonly before: EarlierAttempt | null;
  readonly model: ModelInfo;
  readonly signal: AbortSignal;
  readonly settings: RecipeSettings;
  /** As `AgentConfig` has it: a log of an older one is played by its own. Absent: 1. */
  readonly conduct?: number | undefined;
  readonly world: RecipeWorld;
  ask(question: Question): Promise<Answer>;
  /** A call in full, for a recipe that looks at the model itself: tools, a conversation of several messages, times. One step. */
  call(request: CallRequest): Promise<CallAnswer>;
  /** How the free loop talks to a model, for a recipe that looks at how well it is driven so; a recipe runs no tool. */
  readonly loop: LoopPrompts;
  /** Tokens of a text by the model's own tokenizer where it can count, else an estimate on the safe side. */
  countTokens(text: string): Promise<number>;
  /** A fact for people and for the next stage: a phase reached, suspects ranked, a candidate rejected. */
  progress(phase: string, text: string, data?: unknown): Promise<void>;
  readonly budget: RecipeBudget;
}

/** The loop's own prompts with all of its tools, for a model as its settings drive it. */
export interface LoopPrompts {
  readonly request: (model: ModelInfo, entries: readonly Entry[]) => ModelRequest;
  /** The calls that could be read out of an answer to such a request. */
  readonly callsIn: (model: ModelInfo, parts: readonly Part[]) => readonly ParsedCall[];
  /** What stands before every conversation: the system text, and the definitions of the tools. */
  readonly opening: (model: ModelInfo) => string;
  /** Whether a model is one that gets the short form. */
  readonly isSmall: (model: ModelInfo) => boolean;
}

export interface RecipeBudget {
  stepsLeft(): number;
  millisecondsLeft(): number;
  tokensLeft(): number;
}

/** Switches for measuring what each part of a recipe is worth; the defaults are what users get. */
export interface RecipeSettings {
  /** Sampled answers of one search; one that was written together with another counts a fifth. */
  readonly samples: number;
  readonly mechanicalChanges: boolean;
  readonly judge: {
    readonly agreement: boolean;
    /** Changes that pass are compared on the tests with other values. */
    readonly varied: boolean;
  };
  readonly locate: { readonly coverage: boolean };
  readonly seed: number;
}

/** One question to the model: one step. */
export interface Question {
  readonly purpose: Purpose;
  /** One line for people: "rewrite add() in calc.py (fix, greedy)". */
  readonly label: string;
  readonly system: string;
  readonly user: string;
  readonly prefill: string | null;
  readonly output: OutputForm;
  readonly stop: readonly string[];
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number | null;
  /** Seeds with which the same is asked next, where an engine can answer them at once. */
  readonly also?: readonly number[];
  readonly maxOutputTokens: number;
  /** It holds something of `earlier`, so what fences that conversation fences it. */
  readonly carriesConversation?: true;
}

export type Answer =
  /** `text` is the whole answer with the prefill in front; `complete` is false when it was cut by the length limit. */
  | {
      readonly ok: true;
      readonly text: string;
      readonly complete: boolean;
      /** It was written together with others of `also`, in the time of the first of them. */
      readonly together: boolean;
    }
  /** The model could not answer (engine lost, context full …); a step was spent. */
  | { readonly ok: false; readonly message: string; readonly fatal: boolean };

export interface CallRequest {
  readonly purpose: Purpose;
  readonly label: string;
  /** Either these two, or `messages`. */
  readonly system?: string;
  readonly user?: string;
  readonly messages?: readonly Message[];
  /** Default: none. */
  readonly tools?: readonly ToolSpec[];
  /** Default: text. */
  readonly output?: OutputForm;
  readonly prefill?: string;
  readonly stop?: readonly string[];
  readonly temperature: number;
  readonly maxOutputTokens: number;
  /** As `ModelRequest` has it. */
  readonly drafts?: string;
}

export type CallAnswer =
  | {
      readonly ok: true;
      readonly parts: readonly Part[];
      /** The whole text with the prefill in front. */
      readonly text: string;
      /** It was stopped because it repeated itself without end. */
      readonly hasRepeated: boolean;
      readonly measured: Measured;
    }
  | { readonly ok: false; readonly message: string };

/** What a call took, by its provider's own account. */
export interface Measured {
  readonly promptTokens: number;
  readonly evaluatedTokens: number | null;
  readonly outputTokens: number;
  readonly timings: Timings;
  /** Absent: nothing was drafted ahead. */
  readonly drafts?: EngineReport['drafts'];
  /** Where an engine of this machine ran it: `cpu`, or a card's library. Absent: of every other. */
  readonly backend?: string;
}

/** The workspace and its sandbox, every use an action in the log. Paths are relative to the workspace. */
export interface RecipeWorld {
  list(): Promise<readonly ListEntry[]>;
  /** Null when there is no such regular text file, or it is above 1 MiB. */
  read(path: string): Promise<string | null>;
  search(query: SearchQuery): Promise<SearchResult>;
  /** `label` is what people read. Runs with no access to the network; the output is kept whole in the log. */
  run(command: WorldCommand): Promise<ExecResult>;
  /** Trial copies live here (absolute path in the sandbox); null: there is none, run in the workspace itself. */
  readonly scratchPath: string | null;
  readonly workspacePath: string;
  /**
   * Writes files for good: guarded files are refused, a file a person changed since it was read is refused,
   * both images are kept. All or nothing. Returns why not, or null.
   */
  apply(files: readonly { readonly path: string; readonly text: string }[]): Promise<string | null>;
}

export interface WorldCommand {
  readonly command: string;
  readonly label: string;
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly keepBytes?: number;
}

export function defineRecipe(recipe: Recipe): Recipe {
  return recipe;
}
