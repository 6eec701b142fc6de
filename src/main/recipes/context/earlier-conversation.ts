import type { Exchange } from '../conversation-entries.ts';
import { roughTokens } from '../code/show-code.ts';

/**
 * The length of an excerpt that a small model reads in a few seconds. The last exchange is always included, shortened
 * if it is long.
 */
const maxTokens = 360;
const maxExchanges = 3;

/** The last exchanges for a prompt, oldest first; empty if there are none. */
export function conversationExcerpt(earlier: readonly Exchange[]): string {
  const shown: string[] = [];
  let left = maxTokens;
  for (const { asked, answered } of earlier.slice(-maxExchanges).reverse()) {
    const text = `Asked: ${cut(asked, left / 3)}\nAnswered: ${cut(answered, (left * 2) / 3)}`;
    const cost = roughTokens(text);
    if (shown.length > 0 && cost > left) break;
    shown.unshift(text);
    left -= cost;
    if (left < 40) break;
  }
  return shown.join('\n\n');
}

/** The last exchange alone, which a follow-up is most likely about. */
export function lastExchangeText(earlier: readonly Exchange[]): string {
  const last = earlier.at(-1);
  return last === undefined ? '' : `${last.asked}\n${last.answered}`;
}

function cut(text: string, tokens: number): string {
  const characters = Math.floor(tokens * 3);
  return text.length <= characters ? text : `${text.slice(0, characters).trimEnd()} …`;
}
