import { z } from 'zod';

const recordSchema = z.record(z.string(), z.unknown());

const known = new WeakMap<z.ZodType, Record<string, unknown>>();

/**
 * A value that fits a schema, with `text` in every place that takes any text, including optional parts and property
 * names. `variant` chooses among the members of a union.
 */
export function filledWith(schema: z.ZodType, text: string, variant: number): unknown {
  const whole =
    known.get(schema) ?? recordSchema.parse(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }));
  known.set(schema, whole);
  const fill = (part: unknown, depth: number): unknown => {
    const {
      $ref,
      anyOf,
      oneOf,
      allOf,
      const: only,
      enum: words,
      type,
      ...rest
    } = recordSchema.parse(part === true ? {} : part);
    const pick = (items: unknown): unknown => {
      const list = z.array(z.unknown()).min(1).parse(items);
      return list[variant % list.length];
    };
    if (only !== undefined) return only;
    if (words !== undefined) return pick(words);
    if (typeof $ref === 'string') return depth > 6 ? null : fill(at(whole, $ref), depth + 1);
    if (anyOf !== undefined || oneOf !== undefined) return fill(pick(anyOf ?? oneOf), depth + 1);
    if (allOf !== undefined) return fill(pick(allOf), depth + 1);
    switch (Array.isArray(type) ? pick(type) : type) {
      case 'string':
        return typeof rest['pattern'] === 'string' && rest['pattern'].includes('64') ? 'a'.repeat(64) : text;
      case 'number':
      case 'integer':
        return 1;
      case 'boolean':
        return variant % 2 === 0;
      case 'null':
        return null;
      case 'array':
        return depth > 8 ? [] : [fill(rest['items'] ?? {}, depth + 1)];
      case 'object': {
        const names = recordSchema.parse(rest['properties'] ?? {});
        const own = Object.entries(names).map(([name, inner]) => [name, fill(inner, depth + 1)] as const);
        const free = rest['additionalProperties'];
        const others = typeof free === 'object' ? [[text, fill(free, depth + 1)] as const] : [];
        return Object.fromEntries([...own, ...others]);
      }
      default:
        return text;
    }
  };
  return fill(whole, 0);
}

function at(root: unknown, ref: string): unknown {
  return ref
    .replace(/^#\/?/u, '')
    .split('/')
    .filter((name) => name !== '')
    .reduce((part, name) => recordSchema.parse(part)[name], root);
}
