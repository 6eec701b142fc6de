import type { FenceVerdict } from '@shared/safety/fences.ts';
import type { Where } from '@shared/models/model-info.ts';
import type { LineText, RuleLine } from './parse-rules.ts';

/** A person's own file holds for every project; that of a project comes with its files. */
export type RuleOwner = 'own' | 'project';

/** How a text would be read. */
export interface RuleCheck {
  readonly rules: readonly RuleLine[];
  readonly errors: readonly LineText[];
  /** Rules that contradict one another or never apply. They do not keep a file from being saved. */
  readonly warnings: readonly LineText[];
}

/** A file of rules as it is now, and what holds of it. */
export interface RuleFile extends RuleCheck {
  readonly owner: RuleOwner;
  readonly path: string;
  /** Null: there is no such file. */
  readonly text: string | null;
  /** Of its bytes, as SHA-256 in hexadecimal; null where there is none. */
  readonly hash: string | null;
  /**
   * `as-written`: all of it. `before`: it has an error, and what it said before holds. `stricter`: it comes with a project
   * and nobody has approved it, so only what is stricter counts. `shut`: it was never right; nothing leaves this machine.
   */
  readonly holds: 'none' | 'as-written' | 'before' | 'stricter' | 'shut';
  /** For `before`: the rules that hold, by the lines of the file as it was then. */
  readonly held?: readonly RuleLine[];
  /** What of it does not hold, and why, in sentences. */
  readonly problems: readonly string[];
}

export interface RuleReport {
  /** A person's own first, then the project's. */
  readonly files: readonly RuleFile[];
}

/** What the rules say of a file, a task and a purpose. */
export interface RuleAnswer {
  /** Which side a step of this task on this file has to run on; null: no rule says, the router decides. */
  readonly place: { readonly where: Where; readonly text: string } | null;
  /** What may become of the file's content; null: it may leave. */
  readonly fence: { readonly verdict: FenceVerdict; readonly text: string } | null;
  /** Whether commands find it empty. */
  readonly mask: string | null;
}
