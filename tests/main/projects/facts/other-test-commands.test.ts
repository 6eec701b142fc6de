import { describe, expect, it } from 'vitest';
import { gatherFacts } from '../../../../src/main/projects/facts/gather-project-facts.ts';
import type { ProjectFacts } from '../../../../src/main/projects/facts/project-facts.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

const factsOf = (files: Readonly<Record<string, string>>): Promise<ProjectFacts> =>
  gatherFacts(createMemorySandbox({ files }).files, new AbortController().signal);

const built = 'cmake -S . -B "/tmp/build$(pwd)" && cmake --build "/tmp/build$(pwd)" -j 2';

describe('the finder of test commands', () => {
  it.each([
    ['a module of Go', { 'go.mod': 'module a', 'a.go': '', 'a_test.go': '' }, 'go test ./...', 'go'],
    [
      'a workspace of Go',
      { 'go.work': 'use ./a', 'a/go.mod': 'module a', 'a/a_test.go': '' },
      "go test $(go list -m -f '{{.Dir}}/...')",
      'go',
    ],
    ['a package of Rust', { 'Cargo.toml': '[package]', 'src/lib.rs': '' }, 'cargo test --no-fail-fast', 'cargo'],
    ['a workspace of Rust', { 'Cargo.toml': '[workspace]' }, 'cargo test --workspace --no-fail-fast', 'cargo'],
    ['a project of Maven', { 'pom.xml': '', 'src/test/java/ATest.java': '' }, 'mvn -B -o test', 'maven'],
    [
      'a project of Gradle',
      { 'build.gradle.kts': '', 'src/test/kotlin/ATest.kt': '' },
      'gradle --offline --console=plain test',
      'gradle',
    ],
    [
      'a project of Gradle with a wrapper',
      { 'build.gradle': '', gradlew: '', 'src/test/java/ATest.java': '' },
      '$(command -v gradle || echo ./gradlew) --offline --console=plain test',
      'gradle',
    ],
    [
      'a project of CMake',
      { 'CMakeLists.txt': 'enable_testing()\nadd_test(NAME a COMMAND a)' },
      `${built} && ctest --test-dir "/tmp/build$(pwd)" --output-on-failure`,
      'ctest',
    ],
    ['a makefile with a target', { Makefile: 'all: a\ncheck: all\n\t./a\n', 'a.c': '' }, 'make check', 'make'],
    [
      'a test project of .NET',
      { 'A.csproj': '<PackageReference Include="Microsoft.NET.Test.Sdk" />' },
      'dotnet test',
      'dotnet',
    ],
    ['specs of Ruby', { '.rspec': '', 'spec/a_spec.rb': '' }, 'rspec', 'rspec'],
    [
      'specs of Ruby with a Gemfile',
      { Gemfile: '', 'spec/a_spec.rb': '' },
      '$(bundle check > /dev/null 2>&1 && echo bundle exec) rspec',
      'rspec',
    ],
    ['a Rakefile', { Rakefile: 'Rake::TestTask.new', 'test/a_test.rb': '' }, 'rake test', 'rake'],
    ['a configuration of PHPUnit', { 'phpunit.xml.dist': '', 'tests/ATest.php': '' }, 'phpunit', 'phpunit'],
    [
      'PHPUnit among the packages',
      { 'composer.json': '{"require-dev": {"phpunit/phpunit": "^9"}}', 'tests/ATest.php': '' },
      '$(test -x vendor/bin/phpunit && echo vendor/bin/)phpunit tests',
      'phpunit',
    ],
    [
      'a folder that alone has a project',
      { 'README.md': '', 'server/go.mod': 'module a', 'server/a_test.go': '' },
      'cd server && go test ./...',
      'go',
    ],
    [
      'the larger part of a mixed project',
      { 'go.mod': 'module a', 'a.go': 'a'.repeat(900), 'a_test.go': '', 'package.json': '{"scripts": {"test": "x"}}' },
      'go test ./...',
      'go',
    ],
    [
      'Python beside a makefile that starts the same tests',
      {
        Makefile: 'test:\n\tpytest\n',
        'data.txt': 'a'.repeat(99),
        'a.py': 'a = 1\n',
        'test_a.py': 'def test_a(): pass',
      },
      'python3 -m pytest -q',
      'pytest',
    ],
  ])('finds %s', async (_name, files, command, runner) => {
    const { test } = await factsOf(files);
    expect(test).toMatchObject({ command, runner });
  });

  it.each([
    ['tests in no file', { 'go.mod': 'module a', 'a.go': '' }],
    ['two projects side by side', { 'a/go.mod': '', 'a/a_test.go': '', 'b/go.mod': '', 'b/b_test.go': '' }],
    ['a makefile without a target for tests', { Makefile: 'all: a\ntests := b\n' }],
    ['a project of CMake without tests', { 'CMakeLists.txt': 'project(a)' }],
  ])('takes no command for %s', async (_name, files) => {
    expect((await factsOf(files)).test).toBeNull();
  });

  it('counts sources in these languages, apart from their tests', async () => {
    const facts = await factsOf({ 'a.go': '', 'a_test.go': '', 'src/lib.rs': '', 'src/test/java/ATest.java': '' });
    expect(facts.sourceFiles).toEqual(['a.go', 'src/lib.rs']);
    expect(facts.testFiles).toEqual(['a_test.go', 'src/test/java/ATest.java']);
  });
});

describe('the finder of linters', () => {
  it.each([
    [{ 'go.mod': '' }, 'go'],
    [{ 'Cargo.toml': '[lints.clippy]\nall = "deny"' }, 'cargo'],
    [{ '.rubocop.yml': '' }, 'rubocop'],
    [{ 'phpstan.neon': '' }, 'phpstan'],
  ])('finds that of %j', async (files, runner) => {
    expect((await factsOf(files)).lint?.runner).toBe(runner);
  });
});
