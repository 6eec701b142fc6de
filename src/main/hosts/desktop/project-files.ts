import type { EditorId } from '@shared/settings/known-editors.ts';
import { globMatcher } from '@shared/safety/fences.ts';

interface ProjectNames {
  /** Names of files that the editor takes for a workspace or a project. */
  readonly files: readonly string[];
  /** Names of folders with such files. */
  readonly folders: readonly string[];
}

const ofCode: ProjectNames = { files: ['*.code-workspace', '*.code-profile'], folders: [] };
const ofSublime: ProjectNames = { files: ['*.sublime-project', '*.sublime-workspace'], folders: [] };
/** Their own projects, and those of other tools that they import, with their plugins. */
const ofJetBrains: ProjectNames = {
  files:
    `*.ipr *.iml *.iws .project .classpath pom.xml *.pom pom.* *.gradle *.gradle.* build.xml ivy.xml *.sbt build.mill*
    build.sc module.bazel workspace workspace.bazel workspace.bzlmod build build.bazel *.bazelproject cargo.toml go.work
    mix.exs project.clj deps.edn cmakelists.txt cmakepresets.json cmakeuserpresets.json compile_commands.json makefile
    gnumakefile meson.build pubspec.yaml package.swift *.sln *.slnx *.slnf *.*proj *.uproject`
      .split(/\s+/u)
      .filter((name) => name !== ''),
  folders: ['.idea', '.run', '.bsp', '.fleet', '*.xcodeproj', '*.xcworkspace'],
};

const byEditor: Readonly<Record<EditorId, ProjectNames>> = {
  vscode: ofCode,
  cursor: ofCode,
  vscodium: ofCode,
  zed: { files: [], folders: [] },
  sublime: ofSublime,
  idea: ofJetBrains,
  pycharm: ofJetBrains,
  webstorm: ofJetBrains,
  goland: ofJetBrains,
};

/**
 * Whether an editor may open a file as a project, by its name in any spelling. `system`: nobody knows which editor it
 * is. The path is relative to the folder of the session.
 */
export function opensProject(editor: EditorId | 'system', path: string): boolean {
  // Editors read numbers after a colon as a place in the file, and Windows drops dots and blanks at the end.
  const names = path.split(/[\\/]/u).map((name) => name.replace(/(?::\d{1,9}){1,3}$/u, '').replace(/[. ]{1,9}$/u, ''));
  const rules = editor === 'system' ? [ofCode, ofSublime, ofJetBrains] : [byEditor[editor]];
  return rules.some(
    ({ files, folders }) =>
      files.some((glob) => globMatcher(glob)(names.at(-1) ?? '')) ||
      names.some((name) => folders.some((glob) => globMatcher(glob)(name))),
  );
}
