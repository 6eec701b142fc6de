import type { Sandbox } from '../../sandbox/sandbox.ts';

/** What can be known of a project without a model, by looking. Paths are relative to the workspace. */
export interface ProjectFacts {
  readonly languages: readonly { readonly language: Language; readonly files: number; readonly bytes: number }[];
  readonly fileCount: number;
  /** Source files that are not tests. */
  readonly sourceFiles: readonly string[];
  readonly testFiles: readonly string[];
  /** The command that runs the project's tests, and how it was found out; null when there are none. */
  readonly test: { readonly command: string; readonly runner: TestRunner; readonly source: string } | null;
  /**
   * The command by which the project itself looks at its sources, and how it was found out. Absent where it declares
   * none. `npm` looks at all, the others at the files that are named behind it.
   */
  readonly lint?:
    | { readonly command: string; readonly runner: 'npm' | 'ruff' | 'flake8'; readonly source: string }
    | undefined;
  /** `AGENTS.md` and the like, nearest first. */
  readonly instructionFiles: readonly string[];
  readonly git: boolean;
  /** True when the listing was cut: the project is larger than what was looked at. */
  readonly truncated: boolean;
}

export type Language = 'python' | 'javascript' | 'typescript' | 'other';
export type TestRunner = 'pytest' | 'unittest' | 'node-test' | 'npm' | 'other';

/** How the facts are gathered; injected so that recipes and the loop share one reading of a project. */
export type GatherFacts = (sandbox: Sandbox, signal: AbortSignal) => Promise<ProjectFacts>;
