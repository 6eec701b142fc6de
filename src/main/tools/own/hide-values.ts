import { memo } from '../../lib/memo.ts';

type Secrets = Readonly<Record<string, string>>;

/** Shorter values would match everywhere. */
const shortest = 4;
/** A line that does not end is passed on in pieces of this length. */
const longestLine = 64 * 1024;

/**
 * Replaces the values of secrets in the output of a tool: as they are, and as encoded in JSON, in an address and in
 * base64. Other encodings are not found.
 */
export function hideValues(text: string, secrets: Secrets): string {
  let clean = text;
  for (const { form, name } of formsOf(secrets)) {
    if (clean.includes(form)) clean = clean.replaceAll(form, `[redacted:${name}]`);
  }
  return clean;
}

interface SecretForm {
  readonly form: string;
  readonly name: string;
}

/** The longest first: one value may be the beginning of another. Cached, because output comes in many pieces. */
const formsOf = memo((secrets: Secrets): readonly SecretForm[] => {
  const forms = Object.entries(secrets).flatMap(([name, value]) => {
    // Each line of a multi-line key is found by itself.
    const parts = [value, ...value.split(/\r?\n/)].filter(({ length }) => length >= shortest);
    const written = parts.flatMap((part) => [part, JSON.stringify(part).slice(1, -1), encodeURIComponent(part)]);
    const url = Buffer.from(value).toString('base64url');
    const base64 = url.replaceAll('-', '+').replaceAll('_', '/');
    const all = value.length < shortest ? written : [...written, base64, url];
    return [...new Set(all)].map((form) => ({ form, name }));
  });
  return forms.sort((left, right) => right.form.length - left.form.length);
});

/** The same for output that comes in pieces: a line is passed on when it is complete. */
export function hideInLines(
  secrets: Secrets,
  onText: (text: string) => void,
): { readonly push: (bytes: Uint8Array) => void; readonly end: () => void } {
  const longestForm = formsOf(secrets)[0]?.form.length ?? 0;
  const decoder = new TextDecoder();
  let held = '';
  const give = (until: number): void => {
    const text = hideValues(held.slice(0, until), secrets).trimEnd();
    held = held.slice(until);
    if (text !== '') onText(text);
  };
  return {
    push: (bytes) => {
      held += decoder.decode(bytes, { stream: true });
      const cut = held.lastIndexOf('\n') + 1;
      if (cut > 0) give(cut);
      else if (held.length > longestLine) {
        held = hideValues(held, secrets);
        // Holds back the end, because a value may have arrived only in part.
        give(Math.max(0, held.length - longestForm));
      }
    },
    end: () => give(held.length),
  };
}
