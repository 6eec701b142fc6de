import { z } from 'zod';
import { effortOfWord, effortSchema, strategySchema, thinkingWords } from '@shared/models/model-info.ts';
import { planPlaceSchema, policySchema } from '@shared/routing/routing.ts';

/** One way of working that is compared: where steps run, on which models, how hard they think, and how. */
export const waySchema = z.strictObject({
  policy: policySchema,
  /** Absent: the models of the comparison. */
  local: z.string().min(1).max(300).optional(),
  cloud: z.string().min(1).max(300).optional(),
  /** How hard its models think. */
  effort: effortSchema.optional(),
  strategy: strategySchema.optional(),
  assistant: z.string().min(1).max(40).optional(),
  /** Who plans: with `cloud`, the strongest cloud model plans and a local one does the work. */
  plan: planPlaceSchema.optional(),
});
export type Way = Readonly<z.infer<typeof waySchema>>;

const fieldNames = ['local', 'cloud', 'effort', 'strategy', 'assistant', 'plan'] as const;
type FieldName = (typeof fieldNames)[number];

export const wayForm = `PLACE, PLACE:PROVIDER/MODEL or PLACE,${fieldNames.map((name) => `${name}=…`).join(',')}`;

/**
 * Reads a way as it is typed: `local:ollama/NAME`, `cloud:openai/NAME,effort=high` or `hybrid,local=…,cloud=…`. A text
 * says what is wrong with it.
 */
export function readWay(typed: string): Way | string {
  const [head = '', ...rest] = typed.split(',').map((part) => part.trim());
  const colon = head.indexOf(':');
  const place = colon === -1 ? head : head.slice(0, colon);
  const policy = policySchema.safeParse(place === 'auto' ? 'hybrid' : place).data;
  if (policy === undefined) return `"${place}" is none of ${policySchema.options.join(', ')}`;
  const fields = new Map<FieldName, string>();
  if (colon !== -1) {
    if (policy !== 'local' && policy !== 'cloud') return `${policy} uses two models: write ${policy},local=…,cloud=…`;
    fields.set(policy, head.slice(colon + 1).trim());
  }
  for (const part of rest) {
    const equals = part.indexOf('=');
    const name = fieldNames.find((one) => one === part.slice(0, Math.max(0, equals)).trim());
    if (name === undefined) return `"${part}" is none of ${fieldNames.map((one) => `${one}=…`).join(', ')}`;
    if (fields.has(name)) return `${name} is there twice`;
    fields.set(name, part.slice(equals + 1).trim());
  }
  const effort = fields.get('effort');
  const hard = effort === undefined ? undefined : effortOfWord(effort);
  if (hard === null) return `effort is one of ${thinkingWords.join(', ')}, not "${effort ?? ''}"`;
  fields.delete('effort');
  const parsed = waySchema.safeParse({
    policy,
    ...Object.fromEntries(fields),
    ...(hard === undefined ? {} : { effort: hard }),
  });
  return parsed.success ? parsed.data : `the value of ${String(parsed.error.issues[0]?.path[0] ?? 'it')} is wrong`;
}
