import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import { isRecord } from '@shared/unknown-value.ts';
import { noteFailure } from '../../lib/log.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Returns what is wrong, in words. Null: the value fits, or only the server can tell. */
export type SchemaCheck = (value: unknown) => string | null;

/** The most subschemas that a connected schema may apply in one check of a value. */
const mostWork = 20_000;
/** The most steps of one check: the parts of the value, times the parts of the schema. */
const mostSteps = 20_000_000;
const deepestValue = 24;
const longestProblem = 600;

/**
 * Checks values against a connected JSON Schema (any keyword of 2020-12). The schema never runs as code and fetches
 * nothing. Checks that could block the program are left to the server: regular expressions, formats, unique
 * items, values that are large for their schema, and schemas that branch without end. An unreadable schema accepts everything, because its server checks again.
 */
export function schemaCheck(schema: Schema): SchemaCheck {
  let made: SchemaCheck | null = null;
  return (value) => {
    if (!isRecord(value)) return 'the arguments are not an object';
    made ??= compile(schema);
    const isTooMuch = depthOf(value, deepestValue) > deepestValue || sizeOf(value) * sizeOf(schema) > mostSteps;
    return isTooMuch ? null : made(value);
  };
}

function compile(schema: Schema): SchemaCheck {
  const anything: SchemaCheck = () => null;
  if (!isAffordable(schema, schema, { left: mostWork })) return anything;
  try {
    const validate = new CfWorkerJsonSchemaValidator({ shortcircuit: false }).getValidator(withoutPatterns(schema));
    return (value) => {
      try {
        const result = validate(value);
        // Each part ends with a dot, and whoever shows them sets the last one.
        return result.valid
          ? null
          : result.errorMessage.replaceAll('.;', ';').replace(/\.$/u, '').slice(0, longestProblem);
      } catch {
        // The schema contradicts itself or refers to something missing: its server says what is wrong.
        return null;
      }
    };
  } catch (error) {
    // An unknown dialect: its server checks.
    noteFailure('The schema of a tool was not understood', error);
    return anything;
  }
}

/** Keywords that apply another schema to the same value. */
const lists = ['allOf', 'anyOf', 'oneOf'];
const singles = ['not', 'if', 'then', 'else'];

/** Whether the number of subschemas, each with those that it applies to the same value, stays within the budget. */
function isAffordable(value: unknown, root: Schema, budget: { left: number }): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (isRecord(value) && !canApply(value, root, budget, [])) return false;
  return Object.values(value).every((inner) => isAffordable(inner, root, budget));
}

/** Follows references that apply to the same value. A reference that leads back to itself would never end. */
function canApply(schema: unknown, root: Schema, budget: { left: number }, open: readonly string[]): boolean {
  budget.left -= 1;
  if (budget.left < 0) return false;
  if (!isRecord(schema)) return true;
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    if (!$ref.startsWith('#') || open.includes($ref)) return false;
    if (!canApply(pointed(root, $ref), root, budget, [...open, $ref])) return false;
  }
  const inner = lists.flatMap((key) => listOf(schema[key]));
  return [...inner, ...singles.map((key) => schema[key])].every((one) => canApply(one, root, budget, open));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function pointed(root: Schema, pointer: string): unknown {
  const names = pointer.slice(1).split('/').slice(1);
  const plain = names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return plain.reduce<unknown>(
    (inner, name) => (isRecord(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    root,
  );
}

/** Removes all regular expressions. Where they restrict names, any name is accepted. */
function withoutPatterns(schema: Schema): Record<string, unknown> {
  const loosened = 'patternProperties' in schema || 'propertyNames' in schema;
  const dropped = ['pattern', 'format', 'uniqueItems', ...(loosened ? loose : [])];
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !dropped.includes(key))
      .map(([key, inner]) => [key, maps.includes(key) ? mapped(inner) : plainOf(key, inner)]),
  );
}

const loose = ['patternProperties', 'propertyNames', 'additionalProperties', 'unevaluatedProperties'];
/** Keywords whose keys are names, not keywords. */
const maps = ['properties', '$defs', 'definitions', 'dependentSchemas'];
/** Keywords whose values are not schemas. */
const values = ['enum', 'const', 'default', 'examples', 'required', 'dependentRequired', 'type'];

function plainOf(key: string, inner: unknown): unknown {
  if (values.includes(key)) return inner;
  if (Array.isArray(inner)) return inner.map((item: unknown) => (isRecord(item) ? withoutPatterns(item) : item));
  return isRecord(inner) ? withoutPatterns(inner) : inner;
}

function mapped(inner: unknown): unknown {
  if (!isRecord(inner)) return inner;
  return Object.fromEntries(
    Object.entries(inner).map(([name, value]) => [name, isRecord(value) ? withoutPatterns(value) : value]),
  );
}

/** The number of values inside a value, and itself. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + sizeOf(item), 1);
}

/** The depth of a value. For values deeper than `most`: any number above it. */
export function depthOf(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (most < 0) return 1;
  const items: readonly unknown[] = Object.values(value);
  return 1 + items.reduce<number>((deepest, item) => Math.max(deepest, depthOf(item, most - 1)), 0);
}
