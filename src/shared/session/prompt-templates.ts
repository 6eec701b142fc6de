/** A text that a person keeps to say again: a Markdown file of the home, with places to fill in such as `{{file}}`. */
export interface PromptTemplate {
  /** What is typed after the `/`. */
  readonly name: string;
  readonly text: string;
}

export const templateNamePattern = /^[a-z][a-z0-9-]{0,39}$/u;

/** More would not be a text to say. */
export const mostTemplateCharacters = 20_000;

const place = /\{\{\s*([\p{L}][\p{L}\p{N}_-]{0,39})\s*\}\}/gu;

/** The names of the places, in the order in which they stand first. */
export function templateVariables(text: string): readonly string[] {
  return [...new Set([...text.matchAll(place)].map(([, name = '']) => name))];
}

/** Where the first place stands; null: there is none. */
export function firstPlace(text: string): { readonly start: number; readonly end: number } | null {
  const [found] = text.matchAll(place);
  return found === undefined ? null : { start: found.index, end: found.index + found[0].length };
}

/**
 * The text with what was typed after its name: `file=a.py` fills a place by its name, `file="a b.py"` with spaces, and
 * all other words go into the first place that is left, or behind the text where there is none. `missing`: places that
 * nothing was said for, which stand in the text as they are.
 */
export function fillTemplate(
  text: string,
  typed: string,
): { readonly text: string; readonly missing: readonly string[] } {
  const variables = templateVariables(text);
  const values = new Map<string, string>();
  const words = typed
    .replaceAll(/(?<!\S)([\p{L}][\p{L}\p{N}_-]*)=(?:"([^"]*)"|(\S+))/gu, (whole, name: string, quoted, plain) => {
      if (!variables.includes(name)) return whole;
      values.set(name, String(quoted ?? plain));
      return '';
    })
    .trim();
  const [next] = variables.filter((name) => !values.has(name));
  if (words !== '' && next !== undefined) values.set(next, words);
  const filled = text.replaceAll(place, (whole, name: string) => values.get(name) ?? whole).trimEnd();
  return {
    text: words !== '' && next === undefined ? `${filled}\n\n${words}` : filled,
    missing: variables.filter((name) => !values.has(name)),
  };
}

/** One line that says what it is: its own first line that has words. */
export function templateAbout(text: string): string {
  const line = text.split('\n').find((one) => /[\p{L}\p{N}]/u.test(one)) ?? '';
  return line.replace(/^[#>\s*-]+/u, '').trim();
}

export function matchingTemplates(typed: string, templates: readonly PromptTemplate[]): readonly PromptTemplate[] {
  const name = /^\/(\S*)$/u.exec(typed)?.[1];
  return name === undefined ? [] : templates.filter((template) => template.name.startsWith(name));
}
