import { mentionsIn } from '@shared/attachments/file-mentions.ts';

/** A resource of a tool server that a message can take along. All its words are the server's. */
export interface FoundResource {
  readonly server: string;
  /** For a template: with one place to fill in, such as `notes://day/{day}`. */
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly about?: string | undefined;
  readonly isTemplate?: true | undefined;
}

/** A text of a tool server that a message can begin with. All its words are the server's. */
export interface FoundPrompt {
  readonly server: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly about?: string | undefined;
  readonly arguments: readonly {
    readonly name: string;
    readonly about?: string | undefined;
    readonly isRequired: boolean;
  }[];
}

/** The name to type after a `/`. */
export function promptName({ server, name }: Pick<FoundPrompt, 'server' | 'name'>): string {
  return `${server}:${name}`;
}

/** The prompts whose name, with or without the server's name, begins with what is typed after a `/`. */
export function matchingPrompts(text: string, prompts: readonly FoundPrompt[]): readonly FoundPrompt[] {
  const typed = /^\/(\S*)$/u.exec(text)?.[1];
  if (typed === undefined) return [];
  return prompts.filter((one) => promptName(one).startsWith(typed) || one.name.startsWith(typed));
}

/** The text before and after the one place of a template; null when it has none, several, or one of another kind. */
export function placeIn(template: string): { readonly before: string; readonly after: string } | null {
  const [before = '', inner, more] = template.split('{');
  if (inner === undefined || more !== undefined) return null;
  const [variable = '', after, rest] = inner.split('}');
  return after === undefined || rest !== undefined || !/^\+?\w{1,100}$/u.test(variable) ? null : { before, after };
}

/** A resource as a mention in a message: `server:address`. */
export function resourceMention({ server, uri }: Pick<FoundResource, 'server' | 'uri'>): string {
  return `${server}:${uri}`;
}

/**
 * The mentions in a text that name a resource of a tool server: `@server:address`, with an address such as `notes:…`.
 */
export function resourceMentionsIn(text: string): readonly { readonly server: string; readonly uri: string }[] {
  return mentionsIn(text).flatMap(({ start, end }) => {
    const words = text.slice(start + 1, end).replaceAll('"', '');
    const [server = '', scheme] = words.split(':', 2);
    const isOne = /^[a-z][a-z0-9-]{0,23}$/u.test(server) && /^[a-z][a-z0-9+.-]{0,40}$/iu.test(scheme ?? '');
    const uri = words.slice(server.length + 1);
    return isOne && uri.includes(':') ? [{ server, uri }] : [];
  });
}

/**
 * The resources that match what is typed after an `@`, best first. Text typed after the beginning of a template fills
 * its place; the result is no template any more.
 */
export function fittingResources(
  resources: readonly FoundResource[],
  typed: string,
  limit: number,
): readonly FoundResource[] {
  const letters = typed.toLowerCase();
  const filled = resources.flatMap((one) => {
    const place = one.isTemplate === true ? placeIn(one.uri) : null;
    const before = place === null ? '' : resourceMention({ ...one, uri: place.before });
    if (place === null || typed.length <= before.length || !typed.startsWith(before)) return [];
    const { isTemplate: _place, ...resource } = one;
    const value = typed.slice(before.length);
    return [{ ...resource, uri: `${place.before}${valueIn(one.uri, value)}${place.after}`, name: value }];
  });
  const named = resources
    .map((one) => ({ one, at: [one.name, one.title ?? '', resourceMention(one)].map((text) => text.toLowerCase()) }))
    .filter(({ at }) => at.some((text) => text.includes(letters)))
    .sort((left, right) => rankOf(left.at, letters) - rankOf(right.at, letters))
    .map(({ one }) => one);
  return [...filled, ...named].slice(0, limit);
}

/** A place with `+` may hold a path. */
function valueIn(template: string, value: string): string {
  return template.includes('{+') ? encodeURI(value) : encodeURIComponent(value);
}

function rankOf(texts: readonly string[], letters: string): number {
  return texts.some((text) => text.startsWith(letters)) ? 0 : 1;
}
