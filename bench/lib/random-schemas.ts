import { z } from 'zod';

/**
 * A tool input as programs define it: objects with a few properties, some optional, that contain text, numbers,
 * choices, lists, maps, alternatives and objects. Texts and lists have a limit, as answers have.
 */
export function randomInput(random: () => number): z.ZodType {
  return objectOf(random, 0);
}

function objectOf(random: () => number, depth: number): z.ZodType {
  const count = 1 + Math.floor(random() * 4);
  const properties = Array.from({ length: count }, (_, index) => {
    const value = valueOf(random, depth + 1);
    return [
      names[(index * 5 + Math.floor(random() * 5)) % names.length] ?? 'x',
      random() < 0.3 ? value.optional() : value,
    ];
  });
  return z.object(Object.fromEntries(properties));
}

const names =
  'path from to why text all-lines "quoted" count kind naïve old new options x y back\\slash items limit flag id'.split(
    ' ',
  );

function valueOf(random: () => number, depth: number): z.ZodType {
  const leaves: readonly (() => z.ZodType)[] = [
    () => z.string().max(Math.floor(random() * 20)),
    () => z.string().min(2).max(8),
    () => z.number(),
    () => z.number().int(),
    () => z.boolean(),
    () => z.null(),
    () => z.enum(['a', 'b"c', 'd\\e', 'é\nf']),
    () => z.literal('fixed'),
    () => z.string().max(6).nullable(),
  ];
  const branches: readonly (() => z.ZodType)[] = [
    () => z.array(valueOf(random, depth + 1)).max(Math.floor(random() * 4)),
    () =>
      z
        .array(valueOf(random, depth + 1))
        .min(1)
        .max(3),
    () => objectOf(random, depth),
    () => z.union([valueOf(random, depth + 1), valueOf(random, depth + 1)]),
    () => z.tuple([valueOf(random, depth + 1), valueOf(random, depth + 1)]),
    () =>
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('one'), n: z.number().int() }),
        z.object({ kind: z.literal('two'), s: z.string().max(5) }),
      ]),
  ];
  const all = depth < 3 ? [...leaves, ...branches] : leaves;
  return (all[Math.floor(random() * all.length)] ?? (() => z.null()))();
}
