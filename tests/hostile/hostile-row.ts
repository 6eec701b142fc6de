/**
 * One way in which a file makes a program of the host run, or leak. All of it is shell, run by bash in the project.
 * `plant`, `prepare` and `person` have these at hand (see row-scripts.ts):
 * - `$MARK` the file whose existence shows that the planted program ran
 * - `$RUN` a shell command that writes it, without quotes and backslashes
 * - `program PATH [LINE]` writes an executable script that runs `$RUN`, then LINE
 * - `repository FOLDER` makes a repository with one committed file in it
 * - `every_key FOLDER` sets each configuration key that runs something by plain commands (FOLDER holds `config`)
 * - `reads FILE…` what a tool that is not installed here would read: counts as run when one of them names `$MARK`
 * - `$PERSON_HOME` where the person's home lies, as a plant may guess it
 */
export interface HostileRow {
  /** kebab-case, told apart from all others. */
  readonly id: string;
  readonly subject: string;
  /** What it does, in a sentence: it stands in the message when the row fails. */
  readonly what: string;
  /** Rows of one group are planted in one project by one session, for they are not in each other's way. */
  readonly group?: string;
  /** What is there before the session. Default: a repository with two commits. `folder`: no repository. */
  readonly start?: 'repository' | 'folder';
  /** Run by the person before the session. */
  readonly prepare?: string;
  /** Where the session works, below what the person has. Default: the top. */
  readonly workspace?: string;
  /** What the session runs, command by command. */
  readonly plant: string | readonly string[];
  /** How it is run. Default: as a command. */
  readonly by?: 'command' | 'service' | 'terminal' | 'network';
  /**
   * `git`: status, diff, log, add, commit, checkout, fetch and their like at the top and in every folder; none of them
   * may run what was planted. `nothing`: only what `person` says.
   */
  readonly everyday: 'git' | 'nothing';
  /** Folders in which the everyday commands run beside those that are found. */
  readonly folders?: readonly string[];
  /** What the person does afterwards by their own choice; a line that fails ends nothing. */
  readonly person?: string;
  /** Paths that have to stand under "runs later" where the row runs. */
  readonly places?: readonly string[];
  /** The person's own configuration leads into the project: to be told of it is enough, also for everyday commands. */
  readonly isOwnChoice?: boolean;
  /** The project is one in which nothing is run at all: the session is refused, with the reason. */
  readonly isRefused?: boolean;
  /** `2.34`: with an older git of the person it does nothing. */
  readonly minGit?: string;
  readonly maxGit?: string;
  /** Why it does nothing on this system. It is tried all the same, and not counted. */
  readonly inert?: string;
}
