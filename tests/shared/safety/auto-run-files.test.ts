import { describe, expect, it } from 'vitest';
import { autoRunReason } from '../../../src/shared/safety/auto-run-files.ts';

describe('a file that runs on the machine later', () => {
  it('is recognized, wherever it lies', () => {
    const running = [
      '.git/hooks/pre-commit',
      'sub/.git/config',
      '.husky/pre-push',
      '.pre-commit-config.yaml',
      'lefthook.yml',
      '.lintstagedrc.json',
      '.vscode/tasks.json',
      '.vscode/settings.json',
      'x.code-workspace',
      '.idea/runConfigurations/a.xml',
      '.exrc',
      '.envrc',
      'mise.toml',
      '.devcontainer/devcontainer.json',
      '.mcp.json',
      '.claude/settings.json',
      '.cursor/rules',
      'CLAUDE.md',
      'AGENTS.md',
      '.codex/config.toml',
      'package.json',
      'packages/a/package.json',
      '.npmrc',
      '.yarnrc.yml',
      '.pnpmfile.cjs',
      'setup.py',
      'pyproject.toml',
      'tox.ini',
      'noxfile.py',
      'conftest.py',
      'tests/conftest.py',
      'sitecustomize.py',
      'evil.pth',
      'Makefile',
      'build/rules.mk',
      'justfile',
      'Rakefile',
      'CMakeLists.txt',
      'build.rs',
      'build.gradle.kts',
      'gradlew',
      'pom.xml',
      '.cargo/config.toml',
      'vite.config.ts',
      'jest.config.js',
      'babel.config.cjs',
      '.github/workflows/ci.yml',
      '.gitlab-ci.yml',
      'Jenkinsfile',
      '.circleci/config.yml',
      'Dockerfile',
      'docker-compose.yml',
      'compose.yaml',
      '.gitattributes',
      '.gitmodules',
      '.githooks/pre-commit',
      'hooks/pre-push',
      '.env.local',
      '.zed/tasks.json',
      'flake.nix',
      '.cursorrules',
      '.github/copilot-instructions.md',
      'pip/__init__.py',
      'json.py',
      'tests/random.py',
      'tests/test_x.py',
      'src/app.test.tsx',
      'pkg/x_test.go',
      'scripts/deploy.sh',
      'tools/lint',
      'requirements-dev.txt',
      '.yarn/releases/yarn.cjs',
      'infra/main.tf',
      'netlify.toml',
      '.gitconfig',
    ];
    expect(running.filter((path) => autoRunReason(path) === null)).toEqual([]);
    expect(running.length).toBeGreaterThanOrEqual(75);
  });

  it('is recognized as the configuration of any tool that can run programs, in any case', () => {
    const configured =
      `gradle/wrapper/gradle-wrapper.jar .eslintrc.json .eslintrc .babelrc .mocharc.json .mocharc.yml .prettierrc
      .prettierrc.toml .pdbrc.py .pdbrc pylintrc .pylintrc .rubocop.yml phpunit.xml phpunit.xml.dist conanfile.py conanfile.txt
      wscript nodemon.json cdk.json x.vcxproj x.vcxproj.filters X.xcodeproj/project.pbxproj main.tf.json terragrunt.hcl
      .vs/launch.vs.json AGENT.md sub/agent.md .stylelintrc.json .swcrc .nycrc .c8rc.json .postcssrc .commitlintrc.yml
      .huskyrc .jshintrc .parcelrc .taprc .graphqlrc.yml .sequelizerc .latexmkrc .luacheckrc .proverc .perltidyrc .psqlrc
      .wgetrc .screenrc .xinitrc .cshrc .sbclrc .hgrc .netrc .condarc jest.config.json babel.config.json metro.config.js
      tailwind.config.ts vitest.workspace.ts jest.setup.ts karma.conf.js wdio.conf.ts setupTests.ts .markdownlint-cli2.cjs
      .dependency-cruiser.js .storybook/main.js __mocks__/fs.js cypress/support/e2e.js cypress.json tsconfig.json
      tsconfig.build.json jsconfig.json angular.json lerna.json rush.json workspace.json project.json app.json
      ecosystem.config.js firebase.json serverless.yml wrangler.toml fly.toml tauri.conf.json Trunk.toml Makefile.toml
      webpack.prod.js build.mjs esbuild.js Brocfile.js Jakefile .eleventy.js schema.prisma codegen.yml knexfile.js
      hatch_build.py build.py gunicorn.conf.py pyvenv.cfg Snakefile dvc.yaml mkdocs.yml book.toml _config.yml _plugins/x.rb
      Doxyfile Guardfile Capfile Brewfile Dangerfile Thorfile lib/x.rake config.ru Appfile phpstan.neon psalm.xml rector.php
      .php-cs-fixer.dist.php grumphp.yml .user.ini .htaccess build.sc project.clj deps.edn bb.edn build.gradle
      buildSrc/Tools.kt gradle/libs.versions.toml ivy.xml x.sln Directory.Build.props msbuild.rsp x.tt x.cake x.csx x.runsettings
      global.json launchSettings.json X.xcworkspace/contents.xcworkspacedata x.xcconfig Project.swift x.m4 x.pro xmake.lua
      vcpkg.json premake5.lua Jamroot Tupfile BUCK .clangd compile_commands.json rules.bzl pants.toml x.bb dune-project
      x.opam .ocamlinit cabal.project x.cabal stack.yaml hie.yaml .formatter.exs .credo.exs .iex.exs cpanfile Build.PL
      x.rockspec pubspec.yaml analysis_options.yaml x.nimble config.nims dub.json shard.yml foundry.toml hardhat.config.ts
      .golangci.yml .air.toml tools.go .tflint.hcl x.pkr.hcl main.tofu prod.tfvars playbook.yml Chart.yaml helmfile.yaml
      kustomization.yaml Caddyfile crontab x.service x.plist app.yaml appspec.yml Jenkinsfile.release bitrise.yml .zuul.yaml
      .project .classpath .vimspector.json coc-settings.json x.iml x.launch x.sublime-build .replit .idx/dev.nix .ssh/config
      .bash_login .zlogin config.fish tool.exe lib.so addon.node Main.class x.desktop x.command x.lnk module.psm1 .agents/x.md
      .dewpoint/rules .ruler/x.md x.mdc x.instructions.md CLAUDE.local.md SKILL.md
      MAKEFILE Package.JSON .ENVRC .VSCode/Tasks.json CONFTEST.PY .Git/config dockerFILE .Eslintrc.JSON .HUSKY/pre-commit
      .ESLINTRC.JS Agents.MD .MCP.json`
        .trim()
        .split(/\s+/);
    expect(configured.filter((path) => autoRunReason(path) === null)).toEqual([]);
    expect(configured.length).toBeGreaterThanOrEqual(220);
  });

  it('is told apart from plain source and text files', () => {
    const plain = [
      'src/app.ts',
      'README.md',
      'config.py',
      'package-lock.json',
      '.gitignore',
      'src/makefile.ts',
      'docs/git/x.md',
      '.github/CODEOWNERS',
      'src/hooks/use-items.ts',
      'src/random.py',
      'app/models/json.py',
      'src/contest.ts',
      'docs/test.md',
      'lib/latest.js',
      'src/environment.ts',
      'tools/readme.md',
      'yarn.lock',
      'locales/messages.ru',
      'hosts/example.com',
      'src/user.service.ts',
      'src/source.ts',
      'data/settings.json',
      'src/settings/page.tsx',
      'docs/agents/list.md',
      'lib/config.ex',
      'src/main.go',
      'src/lib.rs',
      'styles/app.css',
      'public/index.html',
      'docs/setup.md',
      'src/build/index.ts',
      'src/Description.tsx',
      'LICENSE',
      'CHANGELOG.md',
    ];
    expect(plain.filter((path) => autoRunReason(path) !== null)).toEqual([]);
  });
});
