import { describe, expect, it } from 'vitest';
import { parseTestOptions } from '../../scripts/setup/test-options.mjs';
import { suites } from '../../scripts/setup/test-suites.mjs';
import config from '../../vitest.config.ts';

describe('parseTestOptions', () => {
  it('takes every suite but those on request when none is named, and leaves the system alone', () => {
    expect(parseTestOptions([], {})).toEqual({
      ok: true,
      isHelp: false,
      chosen: suites.filter((suite) => !suite.isOnRequest).map((suite) => suite.name),
      mayChangeSystem: false,
      isStrict: false,
    });
  });

  it('runs the named ones in the order of the suites', () => {
    expect(parseTestOptions(['unit', 'lint'], {})).toMatchObject({ chosen: ['lint', 'unit'] });
    expect(parseTestOptions(['proofs'], {})).toMatchObject({ chosen: ['proofs'] });
  });

  it('may change the system with --setup-system and in CI; only CI is strict', () => {
    expect(parseTestOptions(['--setup-system'], {})).toMatchObject({ mayChangeSystem: true, isStrict: false });
    expect(parseTestOptions([], { CI: 'true' })).toMatchObject({ mayChangeSystem: true, isStrict: true });
    expect(parseTestOptions([], { CI: '0' })).toMatchObject({ mayChangeSystem: false, isStrict: false });
  });

  it('refuses an unknown suite with the nearest one and an unknown option', () => {
    expect(parseTestOptions(['contract'], {})).toMatchObject({
      ok: false,
      message: expect.stringContaining('"contracts"'),
    });
    expect(parseTestOptions(['--all'], {})).toMatchObject({ ok: false, message: expect.stringContaining('--all') });
  });
});

describe('the suites', () => {
  it('are the projects of the Vitest configuration, and checks', () => {
    const projects = config.test.projects.map((project) => project.test.name);
    expect(suites.filter((suite) => !suite.check).map((suite) => suite.name)).toEqual(projects);
  });
});
