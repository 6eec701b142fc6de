import type { SandboxFiles } from '../../sandbox/sandbox.ts';

/** What can be found out about a project without a model. Paths are relative to the workspace. */
export interface ProjectFacts {
  readonly languages: readonly { readonly language: Language; readonly files: number; readonly bytes: number }[];
  readonly fileCount: number;
  /** Source files that are not tests. */
  readonly sourceFiles: readonly string[];
  readonly testFiles: readonly string[];
  /** Files that are neither, such as a README. Absent if there are none, or too many to name. */
  readonly otherFiles?: readonly string[] | undefined;
  /** The command that runs the project's tests, and how it was found; null if there are none. */
  readonly test: { readonly command: string; readonly runner: TestRunner; readonly source: string } | null;
  /**
   * The command with which the project checks its sources, and how it was found. Absent if it declares none. `ruff`,
   * `flake8` and `rubocop` check the files named after it; the others check everything.
   */
  readonly lint?:
    | { readonly command: string; readonly runner: (typeof linters)[number]; readonly source: string }
    | undefined;
  /** `AGENTS.md` and the like, nearest first. */
  readonly instructionFiles: readonly string[];
  /** Instructions that apply to a folder below the project's own, outermost first. Absent: there are none. */
  readonly folderInstructions?: readonly string[] | undefined;
  /** The files of the skills that the project brings. Absent if it brings none. */
  readonly skillFiles?: readonly string[] | undefined;
  readonly git: boolean;
  /** True if the listing was cut: the project is larger than what was examined. */
  readonly truncated: boolean;
}

export const languages = [
  'python',
  'javascript',
  'typescript',
  'go',
  'rust',
  'java',
  'c',
  'cpp',
  'csharp',
  'ruby',
  'php',
  'other',
] as const;
export type Language = (typeof languages)[number];

export const testRunners = [
  'pytest',
  'unittest',
  'node-test',
  'npm',
  'go',
  'cargo',
  'maven',
  'gradle',
  'ctest',
  'make',
  'dotnet',
  'rspec',
  'rake',
  'phpunit',
  'other',
] as const;
export type TestRunner = (typeof testRunners)[number];

export const linters = ['npm', 'ruff', 'flake8', 'go', 'cargo', 'rubocop', 'phpstan'] as const;

/**
 * How the facts are gathered. Injected, so that recipes and the loop share one reading of a project. `onPaths` gets the
 * paths of the listed files: to list a million files once more takes half a minute.
 */
export type GatherFacts = (
  files: SandboxFiles,
  signal: AbortSignal,
  onPaths?: (paths: readonly string[]) => void,
) => Promise<ProjectFacts>;
