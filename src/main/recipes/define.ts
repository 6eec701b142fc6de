import type { EngineReport, Timings } from '@shared/events/call-report.ts';
import type { Message, Part } from '@shared/models/model-messages.ts';
import type { FoundPart } from '@shared/documents/document-search.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { ParsedCall } from '../tools/parsed-call.ts';
import type { Entry, Exchange } from './conversation-entries.ts';
import type { ProjectFacts } from '../projects/facts/project-facts.ts';
import type { ModelRequest, OutputForm, ToolSpec } from '../models/providers/define.ts';
import type { ExecResult, ListEntry, SearchQuery, SearchResult } from '../sandbox/sandbox.ts';
import type { FoundNames, RankedSymbol } from '../symbols/process/symbol-protocol.ts';
import type { RankAsk } from '../symbols/rank/rank-definitions.ts';
import type { Confidence } from '@shared/events/turn-events.ts';
import type { Purpose } from '@shared/events/call-events.ts';
import type { TaskMode } from '@shared/text/task-mode.ts';

/**
 * A recipe is a program that gathers facts, asks a model only for what a model is good at, applies and verifies.
 * It touches the world only through its context: `model.ask` is a step (a model call), everything in `world` is an
 * action. Both are logged, so a recorded run can be played again without either.
 */
export interface Recipe {
  readonly id: string;
  readonly label: string;
  /** Which models get the project's instructions with its questions; absent: all. */
  readonly instructions?: 'large-models';
  /** How long it searches for a change that passes before it gives up, in seconds. Absent: as long as it may. */
  readonly giveUpSeconds?: number;
  /** How well the recipe fits, by facts of the project and the task. Null: not at all. Must not ask a model. */
  fits(subject: RecipeSubject): RecipeFit | null;
  run(context: RecipeContext): Promise<RecipeOutcome>;
}

export interface RecipeSubject {
  readonly task: string;
  /** Null: the words of the message decide. */
  readonly mode: TaskMode | null;
  readonly facts: ProjectFacts;
  readonly check: SuccessCheck | ExampleCheck | null;
  /**
   * Whether the success check passed before any work. Null: there is none, it was not run, or it fails for an unrelated
   * reason.
   */
  readonly checkPasses: boolean | null;
  /** What was said before in this session, oldest first. A text like "And why?" refers to it. */
  readonly earlier: readonly Exchange[];
  /** False without a sandbox for commands: then only questions and plans are possible. */
  readonly canExecute: boolean;
}

export interface RecipeFit {
  /** 0 to 1; the highest score runs. With equal scores, the first by id. */
  readonly score: number;
  readonly reason: string;
}

export interface SuccessCheck {
  readonly command: string;
  readonly source: 'option' | 'project';
}

/** An example in the task itself, used as a check if there is nothing better. */
export interface ExampleCheck {
  readonly command: string;
  readonly source: 'text';
}

export type RecipeOutcome =
  /** The change is in the workspace (or the answer in `text`), and the check passed. */
  | {
      readonly type: 'done';
      readonly text: string;
      readonly confidence: Confidence;
      /** For the next stage, if the change is doubted and reverted. */
      readonly facts?: string;
    }
  | { readonly type: 'answered'; readonly text: string }
  | { readonly type: 'planned'; readonly text: string }
  /**
   * The workspace is unchanged. `facts` is for the next stage: suspects and their source, near misses, what was tried
   * (6,000 tokens at most).
   */
  | {
      readonly type: 'gave-up';
      readonly reason: string;
      readonly facts: string;
      /** The time was up before everything was tried. */
      readonly isCut?: boolean;
    };

/** In this turn, the same recipe found nothing with another model. */
export interface EarlierAttempt {
  readonly isCut: boolean;
  /** How many answers are still worth asking for; null: as many as the first time. */
  readonly tries: number | null;
}

export interface RecipeContext extends RecipeSubject {
  /** Null: this is the first attempt. */
  readonly before: EarlierAttempt | null;
  readonly model: RecipeModel;
  readonly signal: AbortSignal;
  readonly settings: RecipeSettings;
  readonly world: RecipeWorld;
  /** Logs a fact for the user and the next stage, such as a phase, ranked suspects or a rejected candidate. */
  progress(phase: string, text: string, data?: unknown): Promise<void>;
  readonly budget: RecipeBudget;
}

/** The model that the recipe runs on, and the ways to ask it. */
export interface RecipeModel {
  readonly info: ModelInfo;
  ask(question: Question): Promise<Answer>;
  /**
   * One complete call, as one step, for a recipe that examines the model itself: with tools, several messages, and
   * timings.
   */
  call(request: CallRequest): Promise<CallAnswer>;
  /** The prompts of the loop, for a recipe that tests how well a model works with them. A recipe runs no tool. */
  readonly loop: LoopPrompts;
  /** Tokens of a text by the model's own tokenizer if it can count, otherwise an estimate on the safe side. */
  countTokens(text: string): Promise<number>;
}

/** The loop's own prompts with all its tools, in the form that the model's settings choose. */
export interface LoopPrompts {
  readonly request: (model: ModelInfo, entries: readonly Entry[]) => ModelRequest;
  /** The calls that could be read from an answer to such a request. */
  readonly callsIn: (model: ModelInfo, parts: readonly Part[]) => readonly ParsedCall[];
  /** What comes before every conversation: the system text and the definitions of the tools. */
  readonly opening: (model: ModelInfo) => string;
  /** Whether a model gets the short form. */
  readonly isSmall: (model: ModelInfo) => boolean;
}

export interface RecipeBudget {
  stepsLeft(): number;
  millisecondsLeft(): number;
  tokensLeft(): number;
}

/** Switches that measure what each part of a recipe is worth. Users get the defaults. */
export interface RecipeSettings {
  readonly mechanicalChanges: boolean;
  /** Whether passing changes are compared with other changes, and the model is asked another way. */
  readonly agreement: boolean;
  readonly locate: { readonly coverage: boolean };
  readonly seed: number;
}

/** One question to the model: one step. */
export interface Question {
  readonly purpose: Purpose;
  /** One line for the user: "rewrite add in calc.py (fix)". */
  readonly label: string;
  readonly system: string;
  readonly user: string;
  readonly prefill: string | null;
  readonly output: OutputForm;
  readonly stop: readonly string[];
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number | null;
  readonly maxOutputTokens: number;
  /** True if the question contains text of `earlier`, so that fences on that conversation apply. */
  readonly carriesConversation?: true;
}

export type Answer =
  /** `text` is the whole answer, including the prefill. `complete` is false if the length limit cut it. */
  | {
      readonly ok: true;
      readonly text: string;
      readonly complete: boolean;
    }
  /** The model could not answer (lost engine, full context …). A step was used. */
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
  /** As in `ModelRequest`. */
  readonly drafts?: string;
}

export type CallAnswer =
  | {
      readonly ok: true;
      readonly parts: readonly Part[];
      /** The whole text, including the prefill. */
      readonly text: string;
      /** The answer repeated itself endlessly and was stopped. */
      readonly hasRepeated: boolean;
      readonly measured: CallUsage;
    }
  | { readonly ok: false; readonly message: string };

/** What a call used, as its provider reports it. */
export interface CallUsage {
  readonly promptTokens: number;
  readonly evaluatedTokens: number | null;
  readonly outputTokens: number;
  readonly timings: Timings;
  /** Absent: no tokens were drafted. */
  readonly drafts?: EngineReport['drafts'];
  /** Where an engine on this machine ran it: `cpu`, or the library of a graphics card. Absent for every other. */
  readonly backend?: string;
}

/** The workspace and its sandbox. Every use is an action in the log. Paths are relative to the workspace. */
export interface RecipeWorld {
  list(): Promise<readonly ListEntry[]>;
  /** Null: there is no regular text file with this path, or it is larger than 1 MiB. */
  read(path: string): Promise<string | null>;
  /** The bytes of a new text of a file, in the encoding in which the file was read. */
  bytesOf(path: string, text: string): Uint8Array;
  search(query: SearchQuery): Promise<SearchResult>;
  /** The names in the project's sources; null: it has too few for an index. */
  readonly symbols: RecipeSymbols | null;
  /** The parts of the project's documents that fit some words best, best first. None where it has no documents. */
  documents(words: string): Promise<readonly FoundPart[]>;
  /**
   * How many errors a language server finds in files with these texts, and not with those they have now. Null: it is
   * not known. It may be wrong, so it only decides between changes that pass.
   */
  newErrors(files: readonly { readonly path: string; readonly text: string }[]): Promise<number | null>;
  /** Runs a command without network access. `label` is shown to the user; the log keeps the whole output. */
  run(command: WorldCommand): Promise<ExecResult>;
  /**
   * The folder for trial copies (absolute path in the sandbox). Null: there is none, so commands run in the workspace
   * itself.
   */
  readonly scratchPath: string | null;
  readonly workspacePath: string;
  /**
   * Writes files to the workspace, all or none. Refuses guarded files, and files that the user changed since they were
   * read. The content before and after is kept. Returns why it refused, or null.
   */
  apply(files: readonly { readonly path: string; readonly text: string }[]): Promise<string | null>;
}

/** An index that cannot be read knows nothing. */
export interface RecipeSymbols {
  find(names: readonly string[]): Promise<FoundNames>;
  /** The definitions that the words of a task and the touched files lead to, best first. */
  rank(ask: RankAsk & { readonly limit: number }): Promise<readonly RankedSymbol[]>;
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
