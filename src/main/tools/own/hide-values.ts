import { memo } from '../../lib/memo.ts';

type Secrets = Readonly<Record<string, string>>;

/** A shorter value would be found everywhere. */
const shortest = 4;
/** A line that does not end is let through in pieces of this length. */
const longestLine = 64 * 1024;

/**
 * Takes the values of secrets out of what a tool printed: as they are, and as they stand in JSON, in an address and in
 * base64. What a tool makes of them in other ways cannot be seen.
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

/** The longest first: one may be the beginning of another. Made once for a call, whose output comes in many pieces. */
const formsOf = memo((secrets: Secrets): readonly SecretForm[] => {
  const forms = Object.entries(secrets).flatMap(([name, value]) => {
    // A key of several lines is found by each of them.
    const parts = [value, ...value.split(/\r?\n/)].filter(({ length }) => length >= shortest);
    const written = parts.flatMap((part) => [part, JSON.stringify(part).slice(1, -1), encodeURIComponent(part)]);
    const url = Buffer.from(value).toString('base64url');
    const base64 = url.replaceAll('-', '+').replaceAll('_', '/');
    const all = value.length < shortest ? written : [...written, base64, url];
    return [...new Set(all)].map((form) => ({ form, name }));
  });
  return forms.sort((left, right) => right.form.length - left.form.length);
});

/** The same with output that comes in pieces: a line goes on when it is whole. */
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
        // A value may have come in part.
        give(Math.max(0, held.length - longestForm));
      }
    },
    end: () => give(held.length),
  };
}
