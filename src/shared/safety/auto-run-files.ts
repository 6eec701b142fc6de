import { autoRunNames, type AutoRunNames } from './auto-run-names.ts';

/**
 * Files that Python, pip or pytest load at their start: at the top, where `python -m` looks first, and beside tests.
 */
const pythonShadow =
  /^(tests?\/)?(abc|argparse|ast|asyncio|base64|code|codecs|collections|configparser|contextlib|copy|copyreg|csv|dataclasses|datetime|difflib|dis|email|encodings|enum|errno|fnmatch|functools|gc|genericpath|getopt|glob|hashlib|heapq|html|http|importlib|inspect|io|itertools|json|keyword|linecache|locale|logging|math|operator|os|pathlib|pdb|pickle|pip|pkgutil|platform|pprint|pydoc|pytest|queue|random|re|readline|reprlib|select|setuptools|shlex|shutil|signal|site|socket|sqlite3|ssl|stat|string|struct|subprocess|sys|sysconfig|tempfile|textwrap|threading|time|timeit|token|tokenize|traceback|types|typing|unittest|urllib|uuid|venv|warnings|weakref|wheel|xml|zipfile|zipimport|zlib)(\.py|\/__(init|main)__\.py)$/;
/** The names by which test runners find tests. */
const testFile =
  /(^|\/)(test_[^/]*\.py|[^/]*_test\.(py|rb|exs?)|[^/]*[._-](test|spec|tests)\.[cm]?[jt]sx?|[^/]*_spec\.rb|__tests__\/.*\.[cm]?[jt]sx?|[^/]*Tests?\.(java|kt|cs|php))$/;

/**
 * Files that may run on the user's own machine later, outside any sandbox: when the folder is opened, or at the next
 * commit, build, test or push. What an agent wrote into one of them needs a second look before it is taken.
 */
const rules: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/(^|\/)\.git\//, 'git runs what it says'],
  [
    /(^|\/)(\.husky|\.?git-?hooks)\/|(^|\/)hooks\/(pre|post|commit|prepare-commit|reference|update|applypatch)[a-z-]*$/,
    'runs when you commit or push',
  ],
  [
    /(^|\/)(\.pre-commit-(config|hooks)\.yaml|\.lefthook\.ya?ml|\.overcommit\.yml|\.(lintstaged|husky|cz)rc[^/]*)$/,
    'runs when you commit',
  ],
  [/(^|\/)lefthook\.ya?ml$/, 'runs when you commit'],
  [/(^|\/)\.vscode\/(tasks|launch|settings|extensions)\.json$/, 'your editor runs it or is set up by it'],
  [/(^|\/)[^/]+\.code-workspace$/, 'your editor is set up by it'],
  [
    /(^|\/)(\.(idea|run|fleet|zed|theia|helix|vscode)\/|[^/]+\.sublime-project$|pyrightconfig\.json$)/,
    'your editor runs it or is set up by it',
  ],
  [
    /(^|\/)\.(vim|nvim|exrc|n?vimrc|lvimrc|nvim\.lua|kakrc|dir-locals(-2)?\.el|emacs\.d|projectile|projections\.json)(\/|$)/,
    'your editor runs it',
  ],
  [/(^|\/)\.ycm_extra_conf\.py$/, 'your editor runs it'],
  [
    /(^|\/)(\.envrc[^/]*|\.tool-versions|\.direnv|\.autoenv|\.in|\.sdkmanrc|\.?(mise|rtx)(\.[^/]+)?\.toml|\.?mise\/.*|devenv\.nix)$/,
    'your shell runs it when you enter the folder',
  ],
  [/(^|\/)(flake|shell|default)\.nix$/, 'runs when you enter its shell or build'],
  [/(^|\/)\.env(\.[^/]*)?$/, 'programs take their environment from it'],
  [
    /(^|\/)\.(zshenv|zshrc|zprofile|bashrc|bash_profile|profile|inputrc|tmux\.conf|tmuxinator\.yml|gdbinit|lldbinit)$/,
    'a shell, a terminal or a debugger that starts here runs it',
  ],
  [/(^|\/)\.devcontainer(\/|\.json$)/, 'your editor runs it when it opens the folder in a container'],
  [/(^|\/)\.?mcp\.json$/, 'other agents start programs from it'],
  [
    /(^|\/)\.(claude|codex|cursor|gemini|aider|continue|windsurf|cline|roo|goose|opencode|amazonq|kiro|kilocode|junie|crush|qwen|skills)([./]|$)/,
    'other agents are told by it what to run',
  ],
  [
    /(^|\/)(opencode\.jsonc?|\.(cursor|windsurf|cline)rules|\.roomodes|\.goosehints|\.rules)$/,
    'agents are told by it what to do',
  ],
  [/(^|\/)(AGENTS|CLAUDE|GEMINI|CONVENTIONS)(\.[a-z]+)?\.md$/, 'agents are told by it what to do'],
  [/(^|\/)\.github\/(copilot-instructions\.md|instructions\/|prompts\/|agents\/)/, 'agents are told by it what to do'],
  [/(^|\/)package\.json$/, 'its scripts run with npm install and npm run'],
  [
    /(^|\/)(\.npmrc|\.yarnrc(\.yml)?|\.pnpmfile\.cjs|pnpm-workspace\.yaml|bunfig\.toml|pip\.(conf|ini)|uv\.toml|poetry\.toml|Pipfile|environment\.ya?ml|requirements[^/]*\.(txt|in)|composer\.json|nuget\.config)$/i,
    'your package manager is set up by it',
  ],
  [/(^|\/)(\.yarn\/(releases|plugins)\/|\.pnp\.[cm]?js$)/, 'your package manager runs it'],
  [/(^|\/)(setup\.py|setup\.cfg|pyproject\.toml|noxfile\.py|tox\.(ini|toml))$/, 'runs when you install or test'],
  [/(^|\/)(conftest\.py|sitecustomize\.py|usercustomize\.py|[^/]+\.pth)$/, 'Python runs it automatically'],
  [pythonShadow, 'replaces a Python module that programs load'],
  [
    /(^|\/)(\.?pytest\.ini|\.(coverage|pylint|pdb)rc|\.?mypy\.ini|\.flake8|ruff\.toml)$/,
    'runs or names what runs when you test or check',
  ],
  [/(^|\/)(\.ipython\/|\.jupyter\/|jupyter_[a-z_]*config\.(py|json)$|[^/]+\.ipynb$)/, 'runs in your notebooks'],
  [testFile, 'runs when you test'],
  [
    /(^|\/)(\.rspec|\.irbrc|\.pryrc|\.ghci|\.Rprofile|\.Renviron|\.octaverc|\.perldb)$/,
    'a program that starts here runs it',
  ],
  [
    /\.(sh|bash|zsh|fish|ps1|bat|cmd)$|(^|\/)(configure|bin\/[^/.]+|scripts\/[^/.]+|tools\/[^/.]+)$/,
    'a script: people, builds and hooks run it',
  ],
  [
    /(^|\/)(GNU)?[Mm]akefile(\.am|\.in|\.PL)?$|\.(mk|cmake|ninja|gemspec|sbt|zig|bazel|csproj|fsproj|vbproj|targets|props)$/,
    'runs when you build',
  ],
  [
    /(^|\/)(\.?[Jj]ustfile|Taskfile\.ya?ml|Rakefile|Gemfile|CMakeLists\.txt|CMake(User)?Presets\.json|meson\.build|configure\.ac|SConstruct|SConscript|dune|Setup\.hs|Earthfile|Tiltfile|Procfile|Vagrantfile|Podfile|Fastfile|Package\.swift|mix\.exs|rebar\.config|magefile\.go|WORKSPACE(\.bazel)?|BUILD)$/,
    'runs when you build',
  ],
  [
    /(^|\/)(build\.rs|(build|settings|init)\.gradle(\.kts)?|gradle\.properties|gradle-wrapper\.properties|gradlew|mvnw|pom\.xml|build\.xml|\.mvn\/.*|\.bundle\/config|\.bazelrc)$/,
    'runs when you build',
  ],
  [/(^|\/)(\.cargo\/config(\.toml)?|Cargo\.toml|rust-toolchain(\.toml)?|rustfmt\.toml)$/, 'cargo runs what it names'],
  [/(^|\/)(go\.(mod|work)|[^/]*_test\.go)$/, 'runs, or names what runs, when you build or test'],
  [
    /(^|\/)(fabfile|tasks|dodo|manage|docs?\/conf)\.py$|(^|\/)(gulp|[Gg]runt)file\.[cm]?[jt]s$|(^|\/)(turbo|nx|deno)\.jsonc?$/,
    'runs when you build or start a task',
  ],
  [/(^|\/)([^/]+\.config\.[cm]?[jt]s|\.[a-z]+rc\.[cm]?js)$/, 'runs when you build or test'],
  [
    /(^|\/)(\.(github|forgejo|gitea)\/(workflows|actions)\/|\.github\/dependabot\.ya?ml$|action\.ya?ml$)/,
    'runs on your build server, with its secrets',
  ],
  [
    /(^|\/)\.(gitlab\/ci|circleci|azure-pipelines|woodpecker|buildkite|teamcity|semaphore|platform)\//,
    'runs on your build server, with its secrets',
  ],
  [
    /(^|\/)(\.?(gitlab-ci|travis|drone|woodpecker|appveyor|cirrus|build|azure-pipelines|bitbucket-pipelines|buildspec|cloudbuild|readthedocs|goreleaser|gitpod|skaffold)\.ya?ml|Jenkinsfile|netlify\.toml|vercel\.json|\.releaserc[^/]*|renovate\.json5?|\.renovaterc[^/]*|Pulumi\.ya?ml)$/,
    'runs on your build server, with its secrets',
  ],
  [/(^|\/)([^/]+\.tf|\.terraformrc|ansible\.cfg)$/, 'runs when you deploy'],
  [
    /(^|\/)(([Dd]ocker|[Cc]ontainer)file[^/]*|[^/]+\.[Dd]ockerfile|(docker-)?compose[^/]*\.ya?ml|docker-bake[^/]*\.(hcl|json))$/,
    'runs when you build its image',
  ],
  [/(^|\/)\.(gitattributes|gitmodules|gitconfig[^/]*|lfsconfig)$/, 'git follows it'],
  [/(^|\/)\.(hg|jj|sl|svn|bzr)\//, 'another version control runs what it says'],
];

/** What is set up by `.NAMErc` or `NAME.config` is a tool. Most of these files are code, or name programs and plugins. */
const anyTool = /(^|\/)(\.[^/]*rc(\.[^/]+)?|[^/]+\.config\.(json[5c]?|ya?ml|toml|[cm]?[jt]sx?|py|rb|php|lua|exs))$/;

const names: readonly (readonly [pattern: RegExp, why: string])[] = [
  ...autoRunNames.map((row) => [patternOf(row), row.why] as const),
  [anyTool, 'a tool is set up by it, and may run what it names'],
];

/** Names in one case. Test files are left out: only their capitals tell them from words such as `latest`. */
const anyCase = rules.map(
  ([pattern, why]) => [pattern === testFile ? pattern : new RegExp(pattern, 'i'), why] as const,
);

function patternOf({ names: whole = '', ends = '', folders = '' }: AutoRunNames): RegExp {
  const oneOf = (words: string): string =>
    words
      .trim()
      .split(/\s+/)
      .map((word) => word.replaceAll(/[.+()[\]]/g, '\\$&').replaceAll('*', '[^/]*'))
      .join('|');
  const parts = [
    ...(whole === '' ? [] : [`(?:^|/)(?:${oneOf(whole)})$`]),
    ...(ends === '' ? [] : [`\\.(?:${oneOf(ends)})$`]),
    ...(folders === '' ? [] : [`(?:^|/)(?:${oneOf(folders)})/`]),
  ];
  return new RegExp(parts.join('|'));
}

/** Why this file may run on the user's machine later, in a few words; null when nothing runs it automatically. */
export function autoRunReason(path: string): string | null {
  const same = path.normalize('NFKC').toLowerCase();
  const found = anyCase.find(([pattern]) => pattern.test(path)) ?? names.find(([pattern]) => pattern.test(same));
  return found?.[1] ?? null;
}
