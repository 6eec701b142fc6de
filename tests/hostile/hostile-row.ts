/**
 * One way in which a file makes a program of the host run or leak. Everything is shell code that Bash runs in the
 * project. `plant`, `prepare` and `person` can use these (see row-scripts.ts):
 * - `$MARK` the file whose existence shows that the planted program ran
 * - `$RUN` a shell command that writes it, without quotes and backslashes
 * - `program PATH [LINE]` writes an executable script that runs `$RUN`, then LINE
 * - `repository FOLDER` makes a repository with one committed file in it
 * - `every_key FOLDER` sets every configuration key that plain commands act on by running something (FOLDER holds
 * `config`)
 * - `reads FILE…` what a tool that is not installed here would read: counts as run if one of the files names `$MARK`
 * - `$PERSON_HOME` the person's home, whose path a plant may guess
 */
export interface HostileRow {
  /** In kebab-case, and unique. */
  readonly id: string;
  readonly subject: string;
  /** What the attack does, in one sentence. The message of a failing row shows it. */
  readonly what: string;
  /** One session plants all rows of a group in one project, because they do not interfere. */
  readonly group?: string;
  /** The state before the session. Default: a repository with two commits. `folder`: no repository. */
  readonly start?: 'repository' | 'folder';
  /** The person runs it before the session. */
  readonly prepare?: string;
  /** The session's workspace, relative to the person's folder. Default: the top. */
  readonly workspace?: string;
  /** The commands that the session runs, one after the other. */
  readonly plant: string | readonly string[];
  /** How the session runs it. Default: as a command. */
  readonly by?: 'command' | 'service' | 'terminal' | 'network';
  /**
   * `git`: runs status, diff, log, add, commit, checkout, fetch and similar commands at the top and in every folder.
   * None of them may run what was planted. `nothing`: only what `person` does.
   */
  readonly everyday: 'git' | 'nothing';
  /** More folders for the everyday commands, besides those that are found. */
  readonly folders?: readonly string[];
  /** What the person does afterwards by choice. A line that fails does not stop the rest. */
  readonly person?: string;
  /** Paths that "runs later" must list if the row runs. */
  readonly places?: readonly string[];
  /**
   * The person's own configuration leads into the project. It is then enough that they were told, even for everyday
   * commands.
   */
  readonly isOwnChoice?: boolean;
  /** Nothing runs in such a project: the session is refused, with the reason. */
  readonly isRefused?: boolean;
  /** Such as `2.34`. With an older Git, the row has no effect. */
  readonly minGit?: string;
  readonly maxGit?: string;
  /** Why the row has no effect on this system. It is tried all the same, but not counted. */
  readonly inert?: string;
}
