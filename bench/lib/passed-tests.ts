/** The environment that makes pytest and Node's runner name every passing test. */
export const namingEnvironment: Readonly<Record<string, string>> = {
  PYTHONDONTWRITEBYTECODE: '1',
  PYTEST_ADDOPTS: '-rA -p no:cacheprovider --color=no',
  NODE_OPTIONS: '--test-reporter=tap',
  NO_COLOR: '1',
};

/**
 * Names of the tests that passed, from the output of a run with `namingEnvironment`. Equal names are numbered. Empty
 * for an unknown runner.
 */
export function passedTests(output: string): ReadonlySet<string> {
  const names = [...output.matchAll(/^PASSED (\S.*)$/gmu)].map((match) => match[1] ?? '');
  return numbered(names.length > 0 ? names : tapNames(output));
}

/** Tests that passed before and no longer pass. Empty if nothing is known about the time before. */
export function lostTests(before: ReadonlySet<string>, after: ReadonlySet<string>): readonly string[] {
  return [...before].filter((name) => !after.has(name));
}

function tapNames(output: string): readonly string[] {
  const lines = [...output.matchAll(/^( *)ok \d+ - (.*?)(?: # (SKIP|TODO|skip|todo).*)?$/gmu)];
  return lines
    .filter((match) => match[3] === undefined)
    .map((match) => `${'>'.repeat((match[1] ?? '').length / 4)}${match[2] ?? ''}`);
}

function numbered(names: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  return new Set(
    names.map((name) => {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return count === 1 ? name : `${name} (${count})`;
    }),
  );
}
