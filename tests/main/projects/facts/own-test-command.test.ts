import { describe, expect, it } from 'vitest';
import { gatherFacts } from '../../../../src/main/projects/facts/gather-project-facts.ts';
import { withTestCommand } from '../../../../src/main/projects/facts/own-test-command.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

const { files } = createMemorySandbox({ files: { 'test_a.py': 'import pytest\n', 'pytest.ini': '[pytest]\n' } });
const testOf = async (command: string | null) =>
  (await withTestCommand(gatherFacts, async () => command)(files, new AbortController().signal)).test;

describe('the test command of the settings', () => {
  it('counts before the one that is found', async () => {
    expect(await testOf('make check')).toEqual({
      command: 'make check',
      runner: 'make',
      source: 'the settings of the project',
    });
    expect((await testOf(null))?.runner).toBe('pytest');
  });

  // Catches: results that nobody reads, because the runner of the command is not known.
  it.each([
    ['cd api && python3 -m pytest -q', 'pytest'],
    ['./gradlew test', 'gradle'],
    ['go test ./...', 'go'],
    ['npm test', 'npm'],
    ['python3 -m unittest', 'unittest'],
    ['./run-my-pytest-things', 'other'],
  ])('is known by its runner: %s', async (command, runner) => {
    expect((await testOf(command))?.runner).toBe(runner);
  });
});
