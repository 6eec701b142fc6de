import { describe, expect, it } from 'vitest';
import { parseToml, tomlTable } from '../../../../src/main/lib/files/parse-toml.ts';

describe('the TOML parser', () => {
  it('finds a table in every spelling', () => {
    for (const text of ['[tool.ruff]\nx = 1', 'tool.ruff.x = 1', 'tool = { "ruff" = { x = 1 } }'])
      expect(tomlTable(parseToml(text), 'tool', 'ruff')).toEqual({ x: 1 });
    expect(tomlTable(parseToml('tool = [1]'), 'tool')).toBeNull();
    expect(tomlTable(parseToml('tool = 1'), 'tool', 'ruff')).toBeNull();
  });

  it.each([
    ['broken', '[tool'],
    ['too large', `a = 1\n${'#\n'.repeat(600_000)}`],
    ['too deep', `a = ${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['about the prototype of all objects', '[__proto__]\nx = 1\n[constructor.prototype]\nx = 1'],
  ])('returns an empty result for a file that is %s', (_what, text) => {
    expect(Object.keys(parseToml(text))).toEqual([]);
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });
});
