import { numberRows } from '@shared/routing/routing-profiles.ts';
import { routingSettingsSchema } from '@shared/settings/settings.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { jsonLine, table } from '../terminal/terminal.ts';

/** The profiles as what they are: presets of numbers, and which of them a person has set otherwise. `value`: the setting `routing`. */
export function showProfiles(value: unknown, { out, err }: Terminal, isJson: boolean): void {
  const { profile, numbers } = routingSettingsSchema.parse(value);
  const rows = numberRows(numbers);
  if (isJson) {
    out(jsonLine({ profile, own: numbers, rows }));
    return;
  }
  const hasOwn = rows.some(({ own }) => own !== null);
  const widest = Math.max(...rows.map(({ name }) => name.length));
  const cells = rows.map(({ name, label, economy, balanced, quality, own }) => [
    `${name.padEnd(widest)}  ${label}`,
    economy,
    balanced,
    quality,
    ...(hasOwn ? [own ?? ''] : []),
  ]);
  const head = ['', 'economy', 'balanced', 'quality', ...(hasOwn ? ['yours'] : [])];
  for (const line of table([head, ...cells])) out(`${line}\n`);
  const { weights = {}, priors = {} } = numbers;
  for (const [rule, weight] of Object.entries(weights)) out(`The votes of ${seenName(rule)} count ${weight} times.\n`);
  for (const model of Object.keys(priors)) out(`You have written counts of ${seenName(model)} yourself.\n`);
  err(
    `hybrid goes by ${profile}${hasOwn ? ', with your own numbers in the place of its' : ''}. local and cloud go by none of them.\n`,
  );
  err(
    'Another profile: dewpoint settings set routing.profile economy. One number: dewpoint settings set routing.numbers.consecutiveFailures 3\n',
  );
}
