import { amountsText, type ListedAmounts, type PriceChange, type PriceUpdate } from '@shared/money/price-changes.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { jsonLine, table } from '../../../text/terminal.ts';
import { confirmAtTerminal } from '../../questions/confirm.ts';

interface PricesArguments {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** The price list: shows it, fetches the newest after a yes, or returns to the one of this version. */
export const modelPrices: Command<['show-prices' | 'update-prices' | 'reset-prices', PricesArguments]> = async (
  context,
  action,
  args,
) => {
  if (action === 'update-prices') return updatePrices(context, args);
  const { prices } = await context.core();
  const now = action === 'show-prices' ? await prices.show() : await prices.reset();
  context.terminal.out(args.json === true ? jsonLine(now) : `${listText(now)}\n${changesText(now)}`);
  return 0;
};

/** Dewpoint never looks for prices by itself. */
const updatePrices: Command<[PricesArguments]> = async (context, { yes, json }) => {
  const { terminal, signal } = context;
  const { prices } = await context.core();
  const found = await prices.update({ apply: false }, { signal });
  const isAsked = found.changes.length > 0 && yes !== true;
  if (json !== true || isAsked) {
    const { length } = found.changes;
    const many = length === 0 ? 'nothing changes' : length === 1 ? '1 price changes' : `${length} prices change`;
    const say = json === true ? terminal.err : terminal.out;
    say(`${listText(found)}\n${changesText(found)}${many}; your own prices stay above the list\n`);
  }
  const asking = { what: 'A new price list', without: 'To use it without asking: --yes' };
  if (isAsked && !(await confirmAtTerminal('Use these prices?', context, asking))) {
    terminal.err('Nothing was changed.\n');
    return 1;
  }
  const taken = await prices.update({ apply: true, hash: found.hash }, { signal });
  if (json === true) terminal.out(jsonLine(taken));
  else terminal.err('These prices are in use for calls from now on. To go back: dewpoint models prices reset\n');
  return 0;
};

function listText({ date, isFetched, models }: PriceUpdate): string {
  return isFetched
    ? `the newest price list, fetched on ${date}, ${models} models`
    : `the price list that came with Dewpoint, from ${date}, ${models} models`;
}

/** Old and new of each model, in US dollars per million tokens. */
function changesText({ changes, leftOut, keepShipped }: PriceUpdate): string {
  const kept =
    keepShipped === 0 ? '' : `models that are not in this list and keep the price of this version: ${keepShipped}\n`;
  return `${changed('US dollars per million tokens, old and new:', changes)}${changed(
    'left out: over 100 times as high as now, or less than a hundredth (if one is right: dewpoint settings set prices):',
    leftOut,
  )}${kept}`;
}

function changed(title: string, changes: readonly PriceChange[]): string {
  const rows = changes.map(({ model, before, after }) => [seenName(model), amounts(before), '→', amounts(after)]);
  const text = table(rows).map((line) => `  ${line}\n`);
  return rows.length === 0 ? '' : `${title}\n${text.join('')}`;
}

const amounts = (listed: ListedAmounts | null): string => (listed === null ? 'unknown' : amountsText(listed));
