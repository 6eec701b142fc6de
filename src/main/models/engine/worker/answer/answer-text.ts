import { createStopText } from './stop-text.ts';

/**
 * The text of an answer, shown a few tokens at a time and while the next one is computed. Between two tokens every
 * moment counts: nothing else is computed then, the processor's caches hold the model alone, and whoever is woken by a
 * message takes the core that a thread of the next token is started on. So text is made and sent ten times a second at
 * most, a little later. With stop strings it is made of every token, for none may follow one.
 */
export interface AnswerText<Token> {
  /** True: a stop string has come. The answer ended before it, and all of it is shown. */
  push(token: Token): boolean;
  /** Shows what waits, as far as its characters are whole and no stop string can begin in it. */
  show(): void;
  /** No token follows: shows the rest. True as for `push`. */
  end(): boolean;
  readonly shown: string;
}

export interface AnswerTextOptions<Token> {
  /** The text of tokens that follow others; U+FFFD stands for a character of which bytes are missing. */
  readonly textOf: (tokens: readonly Token[], before: readonly Token[]) => string;
  readonly stops: readonly string[];
  /** `tokens`: how many have come since the text before. */
  readonly onText: (text: string, tokens: number) => void;
  readonly now: () => number;
  /** Does it once the next token is under way. */
  readonly later: (work: () => void) => void;
}

/** The first word comes at once; a reader does not see that others come in twos and threes. */
const holdMs = 100;
/** A character has four bytes at most: what is not whole after so many tokens never will be. */
const mostCutTokens = 6;
/** Of what came before, so that a space between two words is not lost. */
const tokensBefore = 8;

export function createAnswerText<Token>(options: AnswerTextOptions<Token>): AnswerText<Token> {
  const { onText, now, later } = options;
  const stops = createStopText(options.stops);
  const hasStops = options.stops.some((stop) => stop !== '');
  const characters = createCharacters(options.textOf);
  let waiting = '';
  let waitingTokens = 0;
  let shown = '';
  let shownAt = 0;
  let isPlanned = false;
  const read = (isLast: boolean): boolean => {
    const next = stops.push(characters.take(isLast));
    waiting += next.text;
    return next.stopped;
  };
  const give = (): void => {
    if (waiting === '') return;
    const [text, tokens] = [waiting, waitingTokens];
    waiting = '';
    waitingTokens = 0;
    shown += text;
    shownAt = now();
    onText(text, tokens);
  };
  const show = (): void => {
    read(false);
    give();
  };
  const plan = (): void => {
    if (isPlanned || now() - shownAt < holdMs) return;
    isPlanned = true;
    later(() => {
      isPlanned = false;
      show();
    });
  };
  return {
    push(token) {
      characters.push(token);
      waitingTokens += 1;
      const isStopped = (hasStops || shown === '') && read(false);
      if (isStopped || shown === '') give();
      else plan();
      return isStopped;
    },
    show,
    end() {
      const isStopped = read(true);
      waiting += stops.flush();
      give();
      return isStopped;
    },
    get shown() {
      return shown;
    },
  };
}

/** Text of tokens; a character that is spread over several comes whole. */
function createCharacters<Token>(textOf: AnswerTextOptions<Token>['textOf']) {
  const before: Token[] = [];
  let unread: Token[] = [];
  let cutTokens = 0;
  return {
    push: (token: Token): void => void unread.push(token),
    take(isLast: boolean): string {
      if (unread.length === 0) return '';
      const text = textOf(unread, before);
      cutTokens = text.endsWith('\uFFFD') ? cutTokens + 1 : 0;
      if (!isLast && cutTokens > 0 && cutTokens < mostCutTokens) return '';
      cutTokens = 0;
      before.push(...unread);
      before.splice(0, before.length - tokensBefore);
      unread = [];
      return text;
    },
  };
}
