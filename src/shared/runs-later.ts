/**
 * Files that run on the person's own machine later, outside any sandbox: by opening the folder, by the next commit,
 * build, test or push. What an agent wrote into one of them wants a second look before it is taken over.
 */
const rules: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/(^|\/)\.git\//, 'git runs what stands in it'],
  [/(^|\/)\.(husky|githooks)\//, 'runs when you commit or push'],
  [/(^|\/)\.(pre-commit-config\.yaml|lefthook\.ya?ml|lintstagedrc[^/]*)$/, 'runs when you commit'],
  [/(^|\/)lefthook\.ya?ml$/, 'runs when you commit'],
  [/(^|\/)\.vscode\/(tasks|launch|settings|extensions)\.json$/, 'your editor runs it or is set up by it'],
  [/(^|\/)[^/]+\.code-workspace$/, 'your editor is set up by it'],
  [/(^|\/)\.idea\//, 'your editor runs it or is set up by it'],
  [/(^|\/)\.(vim|nvim|exrc|nvimrc|dir-locals\.el|emacs\.d)(\/|$)/, 'your editor runs it'],
  [/(^|\/)\.(envrc|tool-versions|mise\.toml|direnv)$/, 'your shell runs it when you enter the folder'],
  [/(^|\/)mise\.toml$/, 'your shell runs it when you enter the folder'],
  [/(^|\/)\.devcontainer(\/|\.json$)/, 'your editor runs it when it opens the folder in a container'],
  [/(^|\/)\.?mcp\.json$/, 'other agents start programs from it'],
  [
    /(^|\/)\.(claude|codex|cursor|gemini|aider|continue|windsurf|cline|roo)([./]|$)/,
    'other agents are told by it what to run',
  ],
  [/(^|\/)(AGENTS|CLAUDE|GEMINI)\.md$/, 'agents are told by it what to do'],
  [/(^|\/)package\.json$/, 'its scripts run with npm install and npm run'],
  [/(^|\/)\.(npmrc|yarnrc(\.yml)?|pnpmfile\.cjs)$/, 'your package manager is set up by it'],
  [/(^|\/)(setup\.py|setup\.cfg|pyproject\.toml|noxfile\.py|tox\.ini)$/, 'runs when you install or test'],
  [/(^|\/)(conftest\.py|sitecustomize\.py|usercustomize\.py|[^/]+\.pth)$/, 'Python runs it by itself'],
  [
    /(^|\/)(GNU)?[Mm]akefile$|\.mk$|(^|\/)(justfile|Taskfile\.ya?ml|Rakefile|Gemfile|CMakeLists\.txt)$/,
    'runs when you build',
  ],
  [
    /(^|\/)(build\.rs|build\.gradle(\.kts)?|settings\.gradle(\.kts)?|gradlew(\.bat)?|mvnw(\.cmd)?|pom\.xml)$/,
    'runs when you build',
  ],
  [/(^|\/)\.cargo\/config(\.toml)?$/, 'cargo runs what it names'],
  [/(^|\/)[^/]+\.config\.[cm]?[jt]s$/, 'runs when you build or test'],
  [/(^|\/)\.github\/(workflows|actions)\//, 'runs on your build server, with its secrets'],
  [
    /(^|\/)(\.gitlab-ci\.yml|\.travis\.yml|azure-pipelines\.yml|Jenkinsfile|\.circleci\/.*|\.drone\.yml)$/,
    'runs on your build server, with its secrets',
  ],
  [/(^|\/)([Dd]ockerfile[^/]*|[^/]+\.[Dd]ockerfile|(docker-)?compose[^/]*\.ya?ml)$/, 'runs when you build its image'],
  [/(^|\/)\.git(attributes|modules)$/, 'git goes by it'],
];

/** Why this file will run on the person's machine later, in a few words; null when nothing runs it by itself. */
export function runsLater(path: string): string | null {
  return rules.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}
