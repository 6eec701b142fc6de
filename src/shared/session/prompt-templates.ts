import { readFrontFields } from '@shared/text/front-fields.ts';
import { frontMatter } from '@shared/text/front-matter.ts';

/** A text that the user keeps to send again: a Markdown file in the home, with places to fill in such as `{{file}}`. */
export interface PromptTemplate {
  /** The name to type after the `/`. */
  readonly name: string;
  readonly text: string;
  /** Absent: the user wrote it. */
  readonly from?: 'project' | 'skill';
  /** The user keeps it with one project. */
  readonly isOfProject?: true;
  /** One line about it; absent: its first line. */
  readonly about?: string;
}

/**
 * The text of a prompt file of a project, as other agents keep them. Its places become those of a template, and its
 * fields are left out: what it may use is decided here as for any message.
 */
export function promptFileTemplate(name: string, file: string): PromptTemplate | null {
  const { head, text } = frontMatter(file) ?? { head: [], text: '' };
  const filled = text
    .replaceAll(/\$\{(?:input|arg):([\p{L}][\p{L}\p{N}_-]{0,39})(?::[^}]{0,1000})?\}/gu, '{{$1}}')
    .replaceAll('$ARGUMENTS', '{{arguments}}')
    .replaceAll(/\$(\d)\b/gu, '{{argument-$1}}');
  if (filled === '' || filled.length > mostTemplateCharacters) return null;
  const about = readFrontFields(head).get('description') ?? '';
  return { name, text: filled, from: 'project', about };
}

export const templateNamePattern = /^[a-z][a-z0-9-]{0,39}$/u;

/** The longest template, in characters. */
export const mostTemplateCharacters = 20_000;

const place = /\{\{\s*([\p{L}][\p{L}\p{N}_-]{0,39})\s*\}\}/gu;

/** The names of the places, in the order in which they first appear. */
export function templateVariables(text: string): readonly string[] {
  return [...new Set([...text.matchAll(place)].map(([, name = '']) => name))];
}

/** Where the first place is; null when there is none. */
export function firstPlace(text: string): { readonly start: number; readonly end: number } | null {
  const [found] = text.matchAll(place);
  return found === undefined ? null : { start: found.index, end: found.index + found[0].length };
}

/**
 * Fills a template with the words typed after its name. `file=a.py` fills the place `file`; `file="a b.py"` allows
 * spaces. All other words go into the first place that is left, or behind the text if there is none. `missing` lists
 * the places that got no value; they stay in the text.
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

/** A one-line description: its own, else the first line that has words. */
export function templateAbout({ text, about }: Pick<PromptTemplate, 'text' | 'about'>): string {
  if (about !== undefined && about !== '') return about;
  const line = text.split('\n').find((one) => /[\p{L}\p{N}]/u.test(one)) ?? '';
  return line.replace(/^[#>\s*-]+/u, '').trim();
}

export function matchingTemplates(typed: string, templates: readonly PromptTemplate[]): readonly PromptTemplate[] {
  const name = /^\/(\S*)$/u.exec(typed)?.[1];
  return name === undefined ? [] : templates.filter((template) => template.name.startsWith(name));
}
