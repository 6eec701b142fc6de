import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import { isRecord } from '@shared/unknown-value.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Null: the value fits, or only the server can tell. Else what is wrong, in words. */
export type SchemaCheck = (value: unknown) => string | null;

/** Work that a schema of a stranger may ask for, for one look at one value. */
const mostWork = 20_000;
const deepestValue = 24;
const longestProblem = 600;

/**
 * What checks values by a JSON Schema of a stranger (any keyword of 2020-12). The schema runs nowhere as code and fetches
 * nothing. What could hold the program up is left to the server: regular expressions, formats, and schemas that branch
 * without end. A schema that cannot be read lets everything through, for its server checks again.
 */
export function schemaCheck(schema: Schema): SchemaCheck {
  let made: SchemaCheck | null = null;
  return (value) => {
    if (!isRecord(value)) return 'the arguments are not an object';
    made ??= compile(schema);
    return depthOf(value, deepestValue) > deepestValue ? null : made(value);
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
        return result.valid ? null : result.errorMessage.slice(0, longestProblem);
      } catch {
        // A schema that contradicts itself, or refers to what is not in it: its server says what is wrong.
        return null;
      }
    };
  } catch {
    // A dialect that is not known here: its server checks.
    return anything;
  }
}

/** Keywords that apply a further schema to the same value. */
const lists = ['allOf', 'anyOf', 'oneOf'];
const singles = ['not', 'if', 'then', 'else'];

/** Whether all schemas in it, each looked at once with what it applies to the same value, stay within the budget. */
function isAffordable(value: unknown, root: Schema, budget: { left: number }): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (isRecord(value) && !canApply(value, root, budget, [])) return false;
  return Object.values(value).every((inner) => isAffordable(inner, root, budget));
}

/** References are followed as far as they apply to the same value; one that comes back to itself never ends. */
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

/** Without what runs a regular expression; where names go by one, any name may be there. */
function withoutPatterns(schema: Schema): Record<string, unknown> {
  const loosened = 'patternProperties' in schema || 'propertyNames' in schema;
  const dropped = ['pattern', 'format', ...(loosened ? loose : [])];
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !dropped.includes(key))
      .map(([key, inner]) => [key, maps.includes(key) ? mapped(inner) : plainOf(key, inner)]),
  );
}

const loose = ['patternProperties', 'propertyNames', 'additionalProperties', 'unevaluatedProperties'];
/** Keywords whose keys are names and no keywords. */
const maps = ['properties', '$defs', 'definitions', 'dependentSchemas'];
/** Keywords whose values are no schemas. */
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

/** How many levels a value has; of one with more than `most`, some number above it. */
export function depthOf(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (most < 0) return 1;
  const items: readonly unknown[] = Object.values(value);
  return 1 + items.reduce<number>((deepest, item) => Math.max(deepest, depthOf(item, most - 1)), 0);
}
