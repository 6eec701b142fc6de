import type { GatherFacts, TestRunner } from './project-facts.ts';

/** The facts of a project with the test command that the user set, where there is one. */
export function withTestCommand(gather: GatherFacts, own: () => Promise<string | null>): GatherFacts {
  return async (files, signal, onPaths) => {
    const facts = await gather(files, signal, onPaths);
    const command = await own();
    if (command === null) return facts;
    return { ...facts, test: { command, runner: runnerOf(command), source: 'the settings of the project' } };
  };
}

/** Words of a command by which its runner is known, so that its results are read and single tests can be selected. */
const runnerWords: readonly (readonly [string, TestRunner])[] = [
  ['pytest', 'pytest'],
  ['-m unittest', 'unittest'],
  ['node --test', 'node-test'],
  ['npm', 'npm'],
  ['go test', 'go'],
  ['cargo test', 'cargo'],
  ['mvn', 'maven'],
  ['mvnw', 'maven'],
  ['gradle', 'gradle'],
  ['gradlew', 'gradle'],
  ['ctest', 'ctest'],
  ['rspec', 'rspec'],
  ['rake', 'rake'],
  ['phpunit', 'phpunit'],
  ['dotnet test', 'dotnet'],
  ['make', 'make'],
];

/** `other`: only the exit code of the command counts. */
function runnerOf(command: string): TestRunner {
  const words = ` ${command.replaceAll('/', ' ')} `;
  return runnerWords.find(([word]) => words.includes(` ${word} `))?.[1] ?? 'other';
}
