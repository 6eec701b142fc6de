/** `dewpoint://session/ID` opens a session. */
export const linkScheme = 'dewpoint';

/** The session that a link names; null for anything else. Links come from anywhere: nothing but an id is taken out. */
export function sessionOfLink(text: string): string | null {
  const match = /^dewpoint:\/\/session\/([a-z0-9][a-z0-9-]{0,99})\/?$/u.exec(text);
  return match?.[1] ?? null;
}

/** The first link among the arguments of a start. */
export function sessionInArguments(args: readonly string[]): string | null {
  return args.map(sessionOfLink).find((id) => id !== null) ?? null;
}
