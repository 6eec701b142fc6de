import { asksToRun, isQuestion, isSmallTalk } from './task-kind.ts';

/** How a message is read. `ask`: answers and changes no file. `plan`: only plans. `work`: does the work. */
export const taskModes = ['ask', 'plan', 'work'] as const;
export type TaskMode = (typeof taskModes)[number];

const work =
  /\b(?:create|write|make|build|generate|add|save|store|put|set up|fix|change|rename|delete|remove|move|copy|convert|implement|refactor|update)\b/iu;
const thing =
  /\b(?:files?|folders?|director(?:y|ies)|scripts?|programs?|web ?(?:pages?|sites?|apps?)|home ?page|landing page|games?|calculator|command[- ]line|cli|projects?|repo(?:sitory)?|packages?|modules?|tests?)\b/iu;
const order = /^\W*(?:(?:please|now|then)\s+)*(?:run|execute|install|clone|download|save)\b/iu;
/** Domain endings, and names of things that look like files. */
const noFiles = /\.(?:com|org|net|io|de|edu|gov)$|^(?:node|vue|next|react|express|three|d3|nuxt)\.js$/iu;

/** Whether a text's words want something in a file, or something run. "Write a poem" does not. */
export function asksForFile(text: string): boolean {
  if (asksToRun(text) !== null || order.test(text)) return true;
  return (work.test(text) && thing.test(text)) || [...text.matchAll(/[\w@./-]+/gu)].some(([word]) => isFileName(word));
}

/** Names as code has them, but not the numbers and addresses that tools are asked with. */
const codeNames = /`|\w\(\)|\b[a-z]{1,40}(?:_\w|[A-Z])/u;
const codeWords =
  /\b(?:imports?|refactor|rename|debug|html|css|python|javascript|typescript|implemented|defined|computed|tests? (?:pass|fail)|(?:a|failing|red) tests?|(?:which function|function that)|(?:the|this|our|my|an?) (?:\w{1,40} )?(?:class|code|code ?base|page|app|method|module|component))\b/iu;

/** Whether a text is about files or code by its own words, whatever else is connected. */
export function namesCode(text: string): boolean {
  return asksForFile(text) || codeNames.test(text) || codeWords.test(text);
}

/** A name with a file ending. "e.g." and "1.5" are none. */
function isFileName(word: string): boolean {
  const name = word.endsWith('.') ? word.slice(0, -1) : word;
  const dot = name.lastIndexOf('.');
  return dot >= 2 && /^[A-Za-z]\w{0,5}$/u.test(name.slice(dot + 1)) && !noFiles.test(name);
}

/**
 * The mode of a message when nobody has chosen one. `hasFiles`: there is a project, or the conversation has made files.
 * Without files, it is a conversation until a file is asked for.
 */
export function modeOfText(text: string, hasFiles: boolean): 'ask' | 'work' {
  if (isQuestion(text)) return 'ask';
  return hasFiles || asksForFile(text) ? 'work' : 'ask';
}

const ofProject =
  /\b(?:this|these|that|here|our|my|its?|we|us|project|code ?base|repo(?:sitory)?|source|readme|the (?:code|app|file|files|function|class|method|module|server|tests?|build|api|cli|program|script|page|config|settings?))\b/iu;
/** Names as in code: `a_b`, `aB`, `a.b`, `a()`, paths, and text in backticks. JavaScript is none. */
const ofCode = /[`/]|\w_\w|\b[a-z]{1,40}[A-Z]|\w\.\w|\w\(/u;
const general =
  /^(?:(?:what(?:'s| is| are)|explain|define|describe)(?: what)? an? |what does .+ (?:mean|stand for)\b|what(?:'s| is) the difference between an? |who (?:is|was|wrote|invented|made|discovered) |how do (?:you|i) (?:say|spell|pronounce) |translate )/iu;

/**
 * Whether a question can be answered without a look at its project. In doubt it cannot: a needless look costs a moment,
 * but an answer that should have looked is wrong.
 */
export function needsNoProject(question: string): boolean {
  const text = question.trim();
  if (isSmallTalk(text)) return true;
  return general.test(text) && !ofProject.test(text) && !ofCode.test(text);
}
