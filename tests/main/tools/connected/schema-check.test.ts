import { describe, expect, it } from 'vitest';
import { connectedToolName } from '../../../../src/main/tools/connected/connected-tool.ts';
import { isRecord } from '../../../../src/shared/unknown-value.ts';
import { schemaCheck } from '../../../../src/main/tools/connected/schema-check.ts';

/** JSON Schema has the keyword `then`, and lint allows no object with that name. */
const conditional: unknown = JSON.parse('{"then": {"required": ["path"]}}');

describe('the schema check of a connected tool', () => {
  it('handles what zod cannot read, such as conditions and exclusions', () => {
    const check = schemaCheck({
      ...(isRecord(conditional) ? conditional : {}),
      type: 'object',
      properties: { kind: { enum: ['file', 'text'] }, path: { type: 'string' } },
      required: ['kind'],
      if: { properties: { kind: { const: 'file' } } },
      not: { required: ['forbidden'] },
      dependentRequired: { path: ['kind'] },
    });
    expect(check({ kind: 'text' })).toBeNull();
    expect(check({ kind: 'file' })).toContain('path');
    expect(check({ kind: 'text', forbidden: 1 })).not.toBeNull();
    expect(check('x')).toContain('not an object');
  });

  it('follows references inside the schema, and fetches none', () => {
    const tree = { type: 'object', properties: { left: { $ref: '#' }, size: { type: 'number' } } };
    expect(schemaCheck(tree)({ left: { left: { size: 'x' } } })).not.toBeNull();
    expect(schemaCheck(tree)({ left: { left: { size: 1 } } })).toBeNull();
    expect(schemaCheck({ $ref: 'https://evil.example.org/schema.json' })({ a: 1 })).toBeNull();
  });

  /** Catches: a comparison of every item with every other one, while everything else waits. */
  it('leaves slow checks to the server', () => {
    const items = Array.from({ length: 100_000 }, (_, at) => ({ at: [at] }));
    expect(schemaCheck({ type: 'object', properties: { a: { uniqueItems: true } } })({ a: items })).toBeNull();
    const many = { items: { enum: Array.from({ length: 20_000 }, (_, at) => ({ no: at })) } };
    expect(schemaCheck({ type: 'object', properties: { a: many } })({ a: items })).toBeNull();
    const small = schemaCheck({ type: 'object', properties: { a: { items: { type: 'string' } } } });
    expect(small({ a: Array.from({ length: 2_000 }, () => 1) })).not.toBeNull();
  });

  it('does not hang on an endlessly branching schema or a regular expression', () => {
    const levels = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `l${index}`,
        { allOf: [{ $ref: `#/$defs/l${index + 1}` }, { $ref: `#/$defs/l${index + 1}` }] },
      ]),
    );
    const began = performance.now();
    expect(schemaCheck({ $ref: '#/$defs/l0', $defs: levels })({})).toBeNull();
    expect(schemaCheck({ allOf: [{ $ref: '#' }] })({})).toBeNull();
    const slow = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
    expect(schemaCheck(slow)({ text: `${'a'.repeat(60)}!` })).toBeNull();
    expect(
      schemaCheck({ type: 'object', patternProperties: { '^(a+)+$': false } })({ [`${'a'.repeat(60)}!`]: 1 }),
    ).toBeNull();
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe('the name of a connected tool', () => {
  it('is valid at every service and unique', () => {
    const names = ['a.b', 'a_b', 'a/b', 'a b', 'x'.repeat(100), `${'x'.repeat(99)}y`, 'ü'].map((tool) =>
      connectedToolName('srv', tool),
    );
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/);
    expect(connectedToolName('srv', 'a_b')).toBe('srv__a_b');
  });
});
