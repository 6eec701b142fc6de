import { describe, expect, it } from 'vitest';
import { runsLater } from '../../src/shared/runs-later.ts';

describe('a file that runs on the machine later', () => {
  it('is known, wherever it lies', () => {
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
    ];
    expect(running.filter((path) => runsLater(path) === null)).toEqual([]);
    expect(running.length).toBeGreaterThanOrEqual(56);
  });

  it('is not any other', () => {
    const plain = [
      'src/app.ts',
      'README.md',
      'tests/test_x.py',
      'config.py',
      'package-lock.json',
      '.gitignore',
      'src/makefile.ts',
      'docs/git/x.md',
      '.github/CODEOWNERS',
    ];
    expect(plain.filter((path) => runsLater(path) !== null)).toEqual([]);
  });
});
