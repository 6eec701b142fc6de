import { textOf } from '@shared/models/model-messages.ts';
import type { Stage } from '@shared/models/model-info.ts';
import type { ModelRequest } from '../../models/providers/define.ts';
import { askByRole } from '../step/ask-by-role.ts';
import { textRequest } from '../prompt/build-prompt.ts';
import { promptTexts } from '../prompt/prompt-texts.ts';
import type { ResolvedModel } from './agent-dependencies.ts';
import { resolveModel } from './agent-dependencies.ts';
import type { Turn } from './turn.ts';

/**
 * Wait before the model is asked for a name, so that it is free for a user who continues or a program that ends with
 * its turn.
 */
const QUIET_MS = 2_000;
/** The subject of a message is at its beginning, or at its end after pasted text. */
const HEAD_CHARACTERS = 600;
const TAIL_CHARACTERS = 200;
const MAX_TITLE_TOKENS = 32;
const LONGEST_TITLE = 80;

/**
 * After the first turn of a session, replaces the title by a better one if the title is only the cut-off start of the
 * message. The role `title` decides which model is asked. By default this is only a loaded local model that keeps the
 * conversation in memory beside the question, so that nobody waits or pays. `turn` is the ended turn, with a signal of
 * its own. Without an answer the title stays. Throws `cancelled`.
 */
export async function nameSession(turn: Turn): Promise<void> {
  const message = firstMessage(turn);
  const own = message === null ? null : namerOf(turn);
  if (message === null || own === null) return;
  // An abort rejects the delay; `check` below throws for it.
  await turn.dependencies.machine.delay(QUIET_MS, turn.signal).catch(() => undefined);
  turn.log.check();
  const reply = await askByRole(turn, {
    purpose: 'title',
    own,
    reason: { code: 'role', text: 'A model that is already loaded names the session.' },
    request: ({ info }) => titleRequest(turn, message, info.name),
  });
  if (reply.type !== 'answered') return;
  const said = textOf(reply);
  const title = readTitle(said, message);
  // The user may have named the session meanwhile.
  if (title === null || firstMessage(turn) === null) return;
  await turn.log.append({ type: 'session-renamed', title, callId: reply.callId });
}

/**
 * The message whose cut-off start is the title. Null: the title is the whole message, the user chose it, or this is
 * not the first turn.
 */
function firstMessage({ dependencies: { journal } }: Turn): string | null {
  const { title, messages, totals } = journal.state();
  const text = messages[0]?.text ?? '';
  return totals.turns === 1 && isCutFrom(title, text) ? text : null;
}

export function isCutFrom(title: string, text: string): boolean {
  const head = onOneLine(title).replace(/…$/u, '').trim();
  const whole = onOneLine(text);
  return head !== '' && whole.startsWith(head) && whole.length > head.length;
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

/** Null: no model has this role in this turn. */
function namerOf(turn: Turn): { readonly stage: Stage; readonly model: ResolvedModel } | null {
  const place = turn.options.routing.numbers.roles?.title;
  const steps = turn.dependencies.journal.state().steps.filter(({ turnId }) => turnId === turn.id);
  const last = steps.findLast(({ where }) => place !== 'local' || where === 'local');
  if (place === undefined || place === 'none' || last === undefined) return null;
  const { facts } = turn.found;
  const model = resolveModel(
    turn.dependencies,
    [facts?.local, ...(facts?.others ?? []), facts?.cloud].find((one) => one?.id === last.stage.model),
  );
  if (model === null) return null;
  // A server that holds one conversation would have to read all of it again with the next message.
  if (model.info.where === 'local' && model.provider.prefill === undefined) return null;
  return { stage: last.stage, model };
}

function titleRequest(turn: Turn, message: string, model: string): ModelRequest {
  const isLong = message.length > HEAD_CHARACTERS + TAIL_CHARACTERS;
  const shown = isLong ? `${message.slice(0, HEAD_CHARACTERS)}\n…\n${message.slice(-TAIL_CHARACTERS)}` : message;
  const asked = { system: promptTexts.title, user: shown, maxOutputTokens: MAX_TITLE_TOKENS, use: 'title' };
  return textRequest(turn, model, asked);
}

/**
 * The first line without the decoration that models add. Null: it is empty, too long, or shares no word with the
 * message.
 */
export function readTitle(said: string, message: string): string | null {
  const [line = ''] = said.trim().split('\n');
  const title = onOneLine(line)
    .replace(/^(?:#+|title:|\*\*)\s*/iu, '')
    .replaceAll(/^["'`*“«]+|(?<!["'`*”».。])["'`*”».。]+$/gu, '')
    .trim();
  const isShort = title !== '' && title.length <= LONGEST_TITLE;
  const asked = new Set(wordsOf(message));
  return isShort && wordsOf(title).some((word) => asked.has(word)) ? title : null;
}

/**
 * The first letters of each word, so that `fixes` and `fixing` are equal. For scripts without spaces, pairs of
 * characters.
 */
function wordsOf(text: string): readonly string[] {
  const words = (text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []).map((word) => word.slice(0, 5));
  const pairs = [...text.matchAll(/(?=([\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]{2}))/gu)].map(
    ([, pair = '']) => pair,
  );
  return [...words, ...pairs];
}
