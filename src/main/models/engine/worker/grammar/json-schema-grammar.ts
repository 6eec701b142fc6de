import { isRecord } from '@shared/unknown-value.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Basic {
  readonly body: string;
  readonly needs: readonly string[];
}

/** The depth of free JSON values. It is limited, so that a model that only opens brackets comes to an end. */
const anyDepth = 6;

/** Rules that every grammar can use. Only those that are used are written. */
const basics: Readonly<Record<string, Basic>> = {
  value: { body: `value-${anyDepth}`, needs: [`value-${anyDepth}`] },
  object: { body: `object-${anyDepth}`, needs: [`object-${anyDepth}`] },
  array: { body: `array-${anyDepth}`, needs: [`array-${anyDepth}`] },
  scalar: { body: 'string | number | boolean | null', needs: ['string', 'number', 'boolean', 'null'] },
  // Excludes lone surrogates, which would be read as three characters, and four-byte forms beyond the last character.
  char: {
    body: String.raw`[^"\\\x7F\x00-\x1F\uD800-\uDFFF\U00110000-\U001FFFFF] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})`,
    needs: [],
  },
  // Characters of one UTF-16 unit only. Lengths may be counted in units or in characters, and for these both agree.
  unit: {
    body: String.raw`[^"\\\x7F\x00-\x1F\uD800-\uDFFF\U00010000-\U001FFFFF] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})`,
    needs: [],
  },
  string: { body: String.raw`"\"" char* "\""`, needs: ['char'] },
  // Numbers that a double holds exactly, because some readers check for that, and none that would be infinite.
  integer: { body: '"-"? ("0" | [1-9] [0-9]{0,14})', needs: [] },
  number: { body: 'integer ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,2})?', needs: ['integer'] },
  boolean: { body: '"true" | "false"', needs: [] },
  null: { body: '"null"', needs: [] },
  // At most one space: models like it, and endless white space is impossible.
  ws: { body: '" "?', needs: [] },
  'value-0': { body: 'scalar', needs: ['scalar'] },
  ...Object.fromEntries(Array.from({ length: anyDepth }, (_, index) => Object.entries(levelOf(index + 1))).flat()),
};

function levelOf(depth: number): Readonly<Record<string, Basic>> {
  const [value, object, array] = [`value-${depth - 1}`, `object-${depth}`, `array-${depth}`];
  return {
    [`value-${depth}`]: { body: `${object} | ${array} | scalar`, needs: [object, array, 'scalar'] },
    [object]: {
      body: `"{" ws (string ":" ws ${value} ("," ws string ":" ws ${value})*)? ws "}"`,
      needs: ['string', value, 'ws'],
    },
    [array]: { body: `"[" ws (${value} ("," ws ${value})*)? ws "]"`, needs: [value, 'ws'] },
  };
}

/**
 * A GBNF grammar for JSON that matches the schema. Optional properties may be left out, and properties come in the
 * order of the schema. What a grammar cannot express (pattern, format, numeric limits) is left to validation. A
 * schema that is not understood allows any JSON value.
 */
export function grammarForSchema(schema: Schema): string {
  const writer = createWriter(schema);
  const root = writer.rule('root-value', schema);
  return writer.text(root);
}

/** A grammar for exactly one of these strings. */
export function grammarForChoice(options: readonly string[]): string {
  return `root ::= ${options.map(literal).join(' | ')}\n`;
}

interface Writer {
  /** The name of a rule, or an inline expression, for the schema. */
  rule(name: string, schema: unknown): string;
  text(root: string): string;
}

function createWriter(document: Schema): Writer {
  const rules = new Map<string, string>();
  const references = new Map<string, string>();
  const use = (name: string): string => {
    const basic = basics[name];
    if (basic !== undefined && !rules.has(name)) {
      rules.set(name, basic.body);
      basic.needs.forEach(use);
    }
    return name;
  };
  const add = (name: string, body: string): string => {
    let unique = name;
    for (let number = 2; rules.has(unique); number += 1) unique = `${name}-${number}`;
    rules.set(unique, body);
    return unique;
  };
  const rule = (name: string, schema: unknown): string => {
    if (!isRecord(schema)) return use('value');
    if (typeof schema.$ref === 'string') return reference(schema.$ref);
    if ('const' in schema) return literal(JSON.stringify(schema.const));
    if (Array.isArray(schema.enum)) return group(schema.enum.map((value) => literal(JSON.stringify(value))));
    const variants = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(variants)) return group(variants.map((variant, index) => rule(`${name}-${index + 1}`, variant)));
    if (Array.isArray(schema.allOf) && schema.allOf.length === 1) return rule(name, schema.allOf[0]);
    if (Array.isArray(schema.type))
      return group(schema.type.map((type, index) => rule(`${name}-${index + 1}`, { ...schema, type })));
    return ofType(name, schema);
  };
  const reference = (path: string): string => {
    const known = references.get(path);
    if (known !== undefined) return known;
    const name = add(`ref${references.size + 1}`, '');
    references.set(path, name);
    rules.set(name, rule(`${name}-value`, resolvePointer(document, path)));
    return name;
  };
  const ofType = (name: string, schema: Schema): string => {
    switch (schema.type) {
      case 'object':
        return objectRule(name, schema, { rule, use, add });
      case 'array':
        return arrayRule(name, schema, { rule, use, add });
      case 'string':
        return stringRule(schema, use);
      case 'integer':
      case 'number':
      case 'boolean':
      case 'null':
        return use(schema.type);
      default:
        return isRecord(schema.properties) ? objectRule(name, schema, { rule, use, add }) : use('value');
    }
  };
  return {
    rule,
    text: (root) => `root ::= ${root}\n${[...rules].map(([name, body]) => `${name} ::= ${body}\n`).join('')}`,
  };
}

interface Parts {
  readonly rule: (name: string, schema: unknown) => string;
  readonly use: (name: string) => string;
  readonly add: (name: string, body: string) => string;
}

function objectRule(name: string, schema: Schema, { rule, use, add }: Parts): string {
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  // Only listed properties are allowed, so that a model does not invent more.
  const isClosed = isRecord(schema.properties) || schema.additionalProperties === false;
  if (properties.length === 0) {
    if (isRecord(schema.additionalProperties)) return mapRule(name, schema.additionalProperties, { rule, use, add });
    return isClosed ? '"{}"' : use('object');
  }
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const ws = use('ws');
  const pairs = properties.map(([key, value], index) => ({
    text: `${literal(`${JSON.stringify(key)}:`)} ${ws} ${rule(`${name}-${index + 1}`, value)}`,
    isRequired: required.has(key),
  }));
  // Built from the end: what may follow property i after another one (with a comma first), and what if it may be the
  // first.
  let afterOne = '';
  let atStart = '';
  for (const [index, pair] of [...pairs.entries()].reverse()) {
    const pairRule = add(`${name}-pair${index + 1}`, pair.text);
    const tail = afterOne === '' ? '' : ` ${afterOne}`;
    const starts = `${pairRule}${tail}`;
    if (pair.isRequired) atStart = starts;
    else atStart = atStart === '' ? `(${starts})?` : `(${starts} | ${atStart})`;
    // An optional property may be left out, and the rest follows all the same. The first property needs no such rule.
    const follows = pair.isRequired ? `"," ${ws} ${pairRule}${tail}` : `("," ${ws} ${pairRule})?${tail}`;
    if (index > 0) afterOne = add(`${name}-rest${index + 1}`, follows);
  }
  return add(name, `"{" ${ws} ${atStart} ${ws} "}"`);
}

/** A map: any keys, with values by the schema. */
function mapRule(name: string, schema: Schema, { rule, use, add }: Parts): string {
  const ws = use('ws');
  const pair = add(`${name}-pair`, `${use('string')} ":" ${ws} ${rule(`${name}-item`, schema)}`);
  return add(name, `"{" ${ws} (${pair} ("," ${ws} ${pair})*)? ${ws} "}"`);
}

function tupleRule(name: string, items: readonly unknown[], { rule, use, add }: Parts): string {
  const ws = use('ws');
  const parts = items.map((item, index) => rule(`${name}-${index + 1}`, item));
  return add(name, `"[" ${ws} ${parts.join(` "," ${ws} `)} ${ws} "]"`);
}

function arrayRule(name: string, schema: Schema, { rule, use, add }: Parts): string {
  const fixed = schema.prefixItems;
  if (Array.isArray(fixed) && fixed.length > 0) return tupleRule(name, fixed, { rule, use, add });
  const item = rule(`${name}-item`, schema.items);
  const ws = use('ws');
  const least = numberOr(schema.minItems, 0);
  const most = typeof schema.maxItems === 'number' ? schema.maxItems : null;
  if (most === 0) return '"[]"';
  const more = most === null ? `{${Math.max(0, least - 1)},}` : `{${Math.max(0, least - 1)},${most - 1}}`;
  const items = `${item} ("," ${ws} ${item})${more}`;
  return add(name, least > 0 ? `"[" ${ws} ${items} ${ws} "]"` : `"[" ${ws} (${items})? ${ws} "]"`);
}

function stringRule(schema: Schema, use: (name: string) => string): string {
  const least = numberOr(schema.minLength, 0);
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : null;
  // A longer counted repetition would make the grammar too large.
  const countable = 2000;
  if ((least === 0 && most === null) || least > countable || (most !== null && most > countable)) return use('string');
  use('unit');
  return String.raw`"\"" unit{${least},${most ?? ''}} "\""`;
}

function group(alternatives: readonly string[]): string {
  return alternatives.length === 1 ? (alternatives[0] ?? 'value') : `(${alternatives.join(' | ')})`;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : otherwise;
}

function resolvePointer(document: Schema, path: string): unknown {
  if (!path.startsWith('#')) return true;
  let at: unknown = document;
  for (const step of path.slice(1).split('/').filter(Boolean)) {
    at = isRecord(at) ? at[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  }
  return at;
}

const escapes: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A GBNF string literal. */
function literal(text: string): string {
  const escape = (character: string): string =>
    escapes[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`;
  // oxlint-disable-next-line no-control-regex -- control characters are what it is about
  return `"${text.replace(/["\\\u0000-\u001F]/g, escape)}"`;
}
