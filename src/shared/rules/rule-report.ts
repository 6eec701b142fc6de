import type { FenceVerdict } from '@shared/safety/fences.ts';
import type { Where } from '@shared/models/model-info.ts';
import type { LineText, RuleLine } from './parse-rules.ts';

/** A user's own file applies to every project; a project's file comes with its files. */
export type RuleOwner = 'own' | 'project';

/** How a text would be read. */
export interface RuleCheck {
  readonly rules: readonly RuleLine[];
  readonly errors: readonly LineText[];
  /** Rules that contradict each other or never apply. They do not prevent saving. */
  readonly warnings: readonly LineText[];
}

/** A rules file as it is now, and what of it applies. */
export interface RuleFile extends RuleCheck {
  readonly owner: RuleOwner;
  readonly path: string;
  /** Null: there is no such file. */
  readonly text: string | null;
  /** SHA-256 of its bytes in hexadecimal; null when there is no file. */
  readonly hash: string | null;
  /**
   * `as-written`: all of it applies. `before`: it has an error, so its last valid version applies. `stricter`: it comes
   * with a project and nobody has approved it, so only its stricter rules apply. `shut`: it was never valid, so nothing
   * leaves this machine.
   */
  readonly holds: 'none' | 'as-written' | 'before' | 'stricter' | 'shut';
  /** For `before`: the rules that apply, with their lines in the last valid version. */
  readonly held?: readonly RuleLine[];
  /** The parts that do not apply, and why, in sentences. */
  readonly problems: readonly string[];
}

export interface RuleReport {
  /** The user's own file first, then the project's. */
  readonly files: readonly RuleFile[];
}

/** What the rules say about a file, a task and a purpose. */
export interface RuleAnswer {
  /** Where a step of this task on this file must run; null when no rule says so and the router decides. */
  readonly place: { readonly where: Where; readonly text: string } | null;
  /** What may happen to the file's content; null: it may leave. */
  readonly fence: { readonly verdict: FenceVerdict; readonly text: string } | null;
  /** The rule that makes it empty for commands; null when none does. */
  readonly mask: string | null;
}
