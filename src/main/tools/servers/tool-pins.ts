import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { memo } from '../../lib/memo.ts';
import { depthOf } from '../connected/schema-check.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** A tool as its server defines it: everything that the user approves, so that nothing can change unnoticed. */
export const toolDefinitionSchema = z.object({
  name: z.string().min(1).max(256),
  title: z.string().optional(),
  description: z.string().default(''),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  annotations: z.record(z.string(), z.unknown()).optional(),
});
export type ToolDefinitionText = z.infer<typeof toolDefinitionSchema>;

const pinSchema = z.object({
  definition: toolDefinitionSchema,
  sha256: z.string(),
  approvedAt: z.number(),
  lastUsedAt: z.number().nullable().default(null),
  /** Set if the user said that the tool only reads. Holds only for this definition. */
  isReading: z.literal(true).optional(),
  /** Set if the user always allows its calls: what that covers. Holds only for this server and this definition. */
  always: z.string().optional(),
});
export type ToolPin = z.infer<typeof pinSchema>;

/** Limits for definitions of connected tools: for one, for all of a server together, and for their number. */
const longestDefinition = 64 * 1024;
const longestTogether = 4 * 1024 * 1024;
const mostDefinitions = 2_000;
/** Deepest nesting of a definition. Walking a deeper one would overflow this program's stack. */
export const deepest = 64;

export interface ListedTools {
  readonly tools: readonly ToolDefinitionText[];
  /** How many listed tools were left out: too many, too large, invalid, or with a name that is taken. */
  readonly leftOut: number;
  /** Tools that must or may be called as tasks. Not part of the approval, because it only says how a tool is called. */
  readonly asTasks: ReadonlySet<string>;
}

/** The usable definitions of a server's list. If a name occurs twice, the first one counts. */
export function definitionsIn(listed: unknown): ListedTools {
  const items: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const found = new Map<string, ToolDefinitionText>();
  const asTasks = new Set<string>();
  let together = 0;
  for (const item of items) {
    if (found.size >= mostDefinitions || together > longestTogether) break;
    const parsed = toolDefinitionSchema.safeParse(item);
    if (!parsed.success || found.has(parsed.data.name)) continue;
    if (depthOf(parsed.data, deepest) > deepest) continue;
    const { length } = JSON.stringify(parsed.data);
    if (length > longestDefinition) continue;
    together += length;
    found.set(parsed.data.name, parsed.data);
    const support = fieldOf(fieldOf(item, 'execution'), 'taskSupport');
    if (support === 'required' || support === 'optional') asTasks.add(parsed.data.name);
  }
  return { tools: [...found.values()], leftOut: items.length - found.size, asTasks };
}

/** A hash of every part that a model or the user relies on. */
export const hashOfTool = memo((definition: ToolDefinitionText): string => {
  const { name, title = null, description, inputSchema, outputSchema = null, annotations = null } = definition;
  return sha256Of(
    JSON.stringify([name, title, description, sorted(inputSchema), sorted(outputSchema), sorted(annotations)]),
  );
});

/** Sorts keys, because a server may write the same definition with its keys in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** The text that the user reads before approving the tool. */
export function textOfTool({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: ToolDefinitionText): string {
  const parts = [
    `Tool: ${name}${title === undefined ? '' : ` (${title})`}`,
    `Description:\n${description}`,
    `Arguments:\n${JSON.stringify(inputSchema, null, 2)}`,
    ...(outputSchema === undefined ? [] : [`Result:\n${JSON.stringify(outputSchema, null, 2)}`]),
    ...(annotations === undefined ? [] : [`What the server says of it:\n${JSON.stringify(annotations, null, 2)}`]),
  ];
  return parts.join('\n\n');
}

/** The full definitions of each server's approved tools, in files of the home: offering them starts no server. */
export interface ToolPins {
  /** The approved tools in the order of approval. An unreadable file rejects, so it approves nothing. */
  readonly of: (server: string) => Promise<readonly ToolPin[]>;
  /** Makes one change at a time. */
  readonly change: (server: string, edit: (pins: readonly ToolPin[]) => readonly ToolPin[]) => Promise<void>;
}

export function createToolPins(folder: string): ToolPins {
  const known = new Map<string, readonly ToolPin[]>();
  let last: Promise<unknown> = Promise.resolve();
  const fileOf = (server: string): string => join(folder, server, 'approved-tools.json');
  const read = async (server: string): Promise<readonly ToolPin[]> => {
    const held = known.get(server);
    if (held !== undefined) return held;
    const file = await readJsonFile(fileOf(server), (value) => z.array(pinSchema).parse(value));
    if (file.type === 'damaged') {
      throw new AppError('bad-input', `The approved tools of ${server} cannot be read: ${file.reason}`, {
        hint: `Remove ${fileOf(server)}, and approve its tools again.`,
      });
    }
    // Drops entries whose hash was changed by hand, because nobody has read what they would approve.
    const pins = (file.type === 'missing' ? [] : file.value).filter((pin) => hashOfTool(pin.definition) === pin.sha256);
    known.set(server, pins);
    return pins;
  };
  return {
    of: read,
    change: (server, edit) => {
      const work = last.then(async () => {
        const pins = edit(await read(server));
        await writeJsonFile(fileOf(server), pins);
        known.set(server, pins);
      });
      // The caller gets the error, and the next change starts afresh.
      last = work.catch(() => undefined);
      return work;
    },
  };
}
