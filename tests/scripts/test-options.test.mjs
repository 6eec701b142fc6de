import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseTestOptions } from '../../scripts/setup/test-options.mjs';
import { sliced, suites } from '../../scripts/setup/test-suites.mjs';
import config from '../../vitest.config.ts';

describe('the options of the test run', () => {
  const most = suites.filter((suite) => !suite.isOnRequest);
  const chosen = (args, env = {}) => parseTestOptions(args, env).chosen;

  it('take a slice of the suites by default, and leave the system alone', () => {
    const options = parseTestOptions([], {});
    expect(options).toMatchObject({ ok: true, isHelp: false, mayChangeSystem: false, isStrict: false });
    expect(options.chosen).toEqual(sliced());
    expect(
      sliced()
        .map(({ name }) => name)
        .join(' '),
    ).toBe('typecheck lint knip unit contracts docker engines faults electron');
  });

  it('take all usual suites with "all" and in CI', () => {
    // Catches a CI that runs the quick slice and calls it everything.
    expect(chosen([], { CI: 'true' })).toEqual(most);
    expect(chosen(['all'])).toEqual(most);
    expect(chosen(['all', 'proofs'])).toEqual(suites);
  });

  it('take named suites whole, in their usual order', () => {
    expect(chosen(['docker', 'lint'])).toEqual(suites.filter(({ name }) => ['docker', 'lint'].includes(name)));
    expect(chosen(['proofs']).map(({ name }) => name)).toEqual(['proofs']);
  });

  it('may change the system with --setup-system and in CI, and only CI is strict', () => {
    expect(parseTestOptions(['--setup-system'], {})).toMatchObject({ mayChangeSystem: true, isStrict: false });
    expect(parseTestOptions([], { CI: 'true' })).toMatchObject({ mayChangeSystem: true, isStrict: true });
    expect(parseTestOptions([], { CI: '0' })).toMatchObject({ mayChangeSystem: false, isStrict: false });
  });

  it('refuse an unknown suite or option, and name the nearest suite', () => {
    expect(parseTestOptions(['contract'], {})).toMatchObject({
      ok: false,
      message: expect.stringContaining('"contracts"'),
    });
    expect(parseTestOptions(['--all'], {})).toMatchObject({ ok: false, message: expect.stringContaining('--all') });
  });
});

describe('the suites', () => {
  it('have slices of existing files, with some of their own needs', () => {
    for (const { name, slice, needs } of suites) {
      for (const file of slice?.files ?? []) expect(existsSync(file), `${name}: ${file}`).toBe(true);
      for (const need of slice?.needs ?? []) expect(needs, name).toContain(need);
    }
  });

  it('are the projects of the Vitest configuration and the checks', () => {
    const projects = config.test.projects.map((project) => project.test.name);
    expect(suites.filter((suite) => !suite.check).map((suite) => suite.name)).toEqual(projects);
  });
});
