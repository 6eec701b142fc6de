import { z } from 'zod';
import type { EndpointCall } from '@shared/contract/endpoint-contract.ts';
import { effortSchema } from '@shared/models/model-info.ts';
import type { Message, Part } from '@shared/models/model-messages.ts';
import { imageTypeSchema } from '@shared/models/model-messages.ts';
import type { ToolSpec } from '../providers/define.ts';
import { jsonOrText } from '@shared/text/json-in.ts';

/** Something in a call that Dewpoint does not support, in words for the program's author. */
export class WireProblem extends Error {}

/** Unknown fields are allowed, because they change nothing or are checked elsewhere. Throws a `WireProblem`. */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  throw new WireProblem(`${path === '' ? 'The body' : path}: ${issue?.message ?? 'is not what was expected'}.`);
}

/** Throws for unsupported fields that would change the answer. Absent, null and harmless values are accepted. */
export function refuseFields(body: unknown, fields: Readonly<Record<string, readonly unknown[]>>): void {
  for (const [name, harmless] of Object.entries(fields)) {
    const value: unknown = Reflect.get(Object(body), name);
    if (value === undefined || value === null || harmless.includes(value)) continue;
    throw new WireProblem(`${name}: Dewpoint does not do this. Leave it out.`);
  }
}

/** An image of a call must be included in it: nothing is fetched for a client. */
export function imagePart(mediaType: string, data: string): Part {
  const type = imageTypeSchema.safeParse(mediaType);
  if (!type.success) throw new WireProblem(`An image of the type ${mediaType} cannot be shown to a model.`);
  return { type: 'image', mediaType: type.data, data };
}

export function imageOfUrl(url: string): Part {
  const match = /^data:(?<type>[\w.+-]+\/[\w.+-]+);base64,(?<data>[\w+/=]*)$/u.exec(url);
  if (match?.groups === undefined)
    throw new WireProblem('An image has to be a data: URL with base64. Dewpoint fetches none.');
  return imagePart(match.groups.type ?? '', match.groups.data ?? '');
}

/** Parses arguments. Text that is not JSON is returned unchanged. */
export function parseArguments(text: string): unknown {
  return text.trim() === '' ? {} : jsonOrText(text);
}

/** A tool that a program offers, by the names that most formats have for its parts. */
export function decodeTool(name: string, description: string | null | undefined, schema: unknown): ToolSpec {
  const parsed = z.record(z.string(), z.unknown()).safeParse(schema ?? {});
  if (!parsed.success) throw new WireProblem('The parameters of a tool are a JSON Schema of an object.');
  return { name, description: description ?? '', inputSchema: { type: 'object', ...parsed.data } };
}

/** Puts the instructions that a format keeps apart before its messages. */
export function withSystem(said: Message[], system: string): Message[] {
  return system === '' ? said : [{ role: 'system', parts: [{ type: 'text', text: system }] }, ...said];
}

/** Translates OpenAI's words for the thinking effort into Dewpoint's. */
export function decodeEffort(word: string | null | undefined): EndpointCall['effort'] {
  if (word === null || word === undefined) return null;
  const known = effortSchema.safeParse(word === 'minimal' ? 'low' : word === 'xhigh' ? 'max' : word);
  if (!known.success) throw new WireProblem(`reasoning effort: "${word}" is not known.`);
  return known.data;
}

/** The reverse of `imageOfUrl`. */
export function urlOfImage({ mediaType, data }: Pick<Extract<Part, { type: 'image' }>, 'mediaType' | 'data'>): string {
  return `data:${mediaType};base64,${data}`;
}

/** The result of a tool, which is text in every format. */
export function textOnly(parts: readonly Part[], between = ''): string {
  const texts = parts.map((part) => {
    if (part.type === 'text') return part.text;
    throw new WireProblem('The result of a tool has to be text.');
  });
  return texts.join(between);
}
