import { createStopText } from './stop-text.ts';

/**
 * The text of an answer, shown a few tokens at a time while the next one is computed. Between two tokens, every
 * moment counts: the processor's caches hold only the model, and a process that a message wakes up takes a core from
 * a thread of the next token. So text is made and sent at most ten times a second, a little late. With stop strings,
 * text is made after every token, because no token may follow a stop string.
 */
export interface AnswerText<Token> {
  /** Returns true if a stop string has come. The answer ended before it and is shown completely. */
  push(token: Token): boolean;
  /** Shows what is waiting, as far as characters are complete and no stop string can begin there. */
  show(): void;
  /** Shows the rest, because no token follows. Returns true like `push`. */
  end(): boolean;
  readonly shown: string;
}

export interface AnswerTextOptions<Token> {
  /** The text of tokens that follow others. U+FFFD stands for an incomplete character. */
  readonly textOf: (tokens: readonly Token[], before: readonly Token[]) => string;
  readonly stops: readonly string[];
  /** `tokens` is the number of tokens since the last text. */
  readonly onText: (text: string, tokens: number) => void;
  readonly now: () => number;
  /** Runs the work once the next token is being computed. */
  readonly later: (work: () => void) => void;
}

/** The first word comes at once. After that, readers do not notice that words come in twos and threes. */
const holdMs = 100;
/** A character has at most four bytes. One that is incomplete after so many tokens never becomes complete. */
const mostCutTokens = 6;
/** How many earlier tokens are used for detokenizing, so that a space between two words is not lost. */
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

/** Turns tokens into text. A character that spans several tokens comes as a whole. */
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
