/**
 * `on`: models may use it. `off`: the person switched it off. `new`, `changed`: it is the project's, and nobody approved
 * it as it is now. `unfit`: it cannot be used as it is.
 */
export type SkillState = 'on' | 'off' | 'new' | 'changed' | 'unfit';

/** A skill as people see it. */
export interface SkillReport {
  readonly name: string;
  readonly description: string;
  readonly where: 'project' | 'home';
  /** Where its `SKILL.md` lies: in the project, or its whole path. */
  readonly path: string;
  readonly state: SkillState;
  /** Of what a person approves; null for one that needs no approval, or cannot get one. */
  readonly sha256: string | null;
  /** Why it is `unfit`; null: it is not. */
  readonly problem: string | null;
  readonly warnings: readonly string[];
  /** The tools that a turn is left while it works by the skill, in words; null: all. */
  readonly narrowsTo: string | null;
  /** It lies in Dewpoint's own folder, so it can be edited here. */
  readonly isOwn: boolean;
  /** It is a copy that Dewpoint made of a folder, so it can be removed here. */
  readonly isAdded?: boolean;
}
