import type { ChosenOptions } from '@shared/session/chosen-options.ts';

/** What was chosen last in a session, which its next message keeps. Empty: nothing was. */
export function lastChosen({
  messages,
}: {
  readonly messages: readonly { readonly chosen?: ChosenOptions }[];
}): ChosenOptions {
  return messages.findLast(({ chosen }) => chosen !== undefined)?.chosen ?? {};
}

/** The options of a message, with what the session keeps where they choose nothing. */
export function withLastChosen<Run extends ChosenOptions>(run: Run, last: ChosenOptions): Run {
  const given = Object.entries(run).filter(([, value]) => value !== undefined);
  return { ...run, ...last, ...Object.fromEntries(given) };
}
