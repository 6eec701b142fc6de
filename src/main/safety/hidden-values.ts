import { sha256Of } from '../lib/sha256.ts';
import type { Part } from '@shared/models/model-messages.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import { createHmac, randomBytes } from 'node:crypto';
import type { Mask } from '../lib/secrets/secret-patterns.ts';

/**
 * The secrets that models see as placeholders, `[redacted:KIND#MARK]`. The mark belongs to the value: the same secret
 * has the same placeholder everywhere, two secrets never share one, and the value does not follow from it. It lasts as
 * long as this process, so that no file has to hold what was hidden.
 */
export interface HiddenValues {
  readonly mask: Mask;
  /** Puts the values back that `file` holds. `unknown`: the first placeholder whose value the file does not hold. */
  readonly restore: (text: string, file: string) => { readonly text: string; readonly unknown: string | null };
}

const markLength = 6;
/** The oldest are forgotten first. A placeholder without a value is refused, never guessed. */
const mostValues = 20_000;
const placeholder = /\[redacted:[^\]\n#]{1,80}(?:#([0-9a-f]{6}))?\]|\[fenced(?:: [^\]\n]{1,200})?\]/g;

/** What `read_file` puts before the lines of a secret that has several. */
const lineNumbers = /\n {0,9}\d{1,9}: /g;

export function createHiddenValues(): HiddenValues {
  const key = randomBytes(32);
  const values = new Map<string, string>();
  return {
    mask: (kind, shown) => {
      const secret = shown.replace(lineNumbers, '\n');
      const mark = createHmac('sha256', key).update(secret).digest('hex').slice(0, markLength);
      const known = values.get(mark);
      // Two values with one mark: neither is put back.
      values.delete(mark);
      values.set(mark, known === undefined || known === secret ? secret : '');
      const [oldest] = values.keys();
      if (values.size > mostValues && oldest !== undefined) values.delete(oldest);
      return `[redacted:${kind}#${mark}]`;
    },
    restore: (text, file) => {
      let unknown: string | null = null;
      const own = placesOf(file);
      const restored = text.replace(placeholder, (found, mark?: string) => {
        const value = mark === undefined ? undefined : values.get(mark);
        if (value !== undefined && value !== '' && file.includes(value)) return value;
        // The file may speak of placeholders itself.
        const left = own.get(found) ?? 0;
        if (left > 0) own.set(found, left - 1);
        else unknown ??= found;
        return found;
      });
      return { text: restored, unknown };
    },
  };
}

function placesOf(text: string): Map<string, number> {
  const places = new Map<string, number>();
  for (const [found] of text.matchAll(placeholder)) places.set(found, (places.get(found) ?? 0) + 1);
  return places;
}

/** What a model is told about a placeholder that cannot be written. */
export function unknownText(path: string, found: string): string {
  return `${found} stands for a value that is hidden from you, and ${path} does not hold that value, so nothing was written. Leave that line as it is with an edit around it, or have the value read from where it is when the program runs.`;
}

/** The calls that each model of a session wrote. What a model wrote itself is not hidden from it. */
export interface WrittenCalls {
  readonly add: (event: SessionEvent) => void;
  readonly isOwn: (model: string, part: Part) => boolean;
}

export function createWrittenCalls(): WrittenCalls {
  const models = new Map<string, string>();
  const written = new Map<string, Set<string>>();
  return {
    add: (event) => {
      if (event.type === 'model-call-started') models.set(event.callId, event.model);
      if (event.type !== 'model-call-ended') return;
      const model = models.get(event.callId);
      models.delete(event.callId);
      if (model === undefined) return;
      const own = written.get(model) ?? new Set();
      written.set(model, own);
      for (const part of event.parts) if (part.type === 'tool-call') own.add(hashOf(part));
    },
    isOwn: (model, part) => part.type === 'tool-call' && (written.get(model)?.has(hashOf(part)) ?? false),
  };
}

function hashOf({ name, input }: Extract<Part, { readonly type: 'tool-call' }>): string {
  return sha256Of(JSON.stringify([name, input]));
}
