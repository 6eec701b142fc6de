import { isAskingSentence } from './asking-sentence.ts';

const work =
  /\b(?:fix|add|change|write|create|implement|remove|delete|rename|refactor|update|replace|move|make|repair|correct|convert|migrate|upgrade|install)\b/iu;

const greeting =
  /^(?:hello|hi|hey|hiya|good (?:morning|afternoon|evening|night)|thanks|thank you|thx|cheers|bye|goodbye|see you|ok|okay|great|nice|cool|perfect|well done|hallo|guten (?:tag|morgen|abend)|danke|bonjour|merci|hola|gracias|ciao|grazie|привет|спасибо|你好|谢谢|こんにちは|ありがとう)(?:[\s,!.]+(?:there|all|everyone|you|a lot|ok|okay|thanks|danke|very much|so much|dewpoint|again|then|for (?:that|this|now)|schön|vielmals|viele?))*[\s!.,。！:)]*$/iu;

/** Whether a text is only a greeting or a thank-you, so that nothing needs to be searched or changed. */
export function isSmallTalk(text: string): boolean {
  return greeting.test(text.trim());
}

/** How an order may begin, as the source of a pattern. */
export const politely = String.raw`^\W*(?:(?:please|now|then|can you|could you|just)\s+)*`;

const runs = new RegExp(
  String.raw`${politely}(?:run|execute|start)\s+(?:(?:all|the|my|our|its|unit|project's)\s+)*(?:(tests?(?:\s+suite)?)|[\x60'"]?((?:[\w.@-]+\/)*[\w@-][\w.@-]*\.(?:py|[mc]?js|sh))[\x60'"]?)(?:\s+(?:again|now|please))*(?:\s+and\s+(?:tell|show)\s+me\b.*(?:\n[\s.!?]*)?|[\s.!?]*)$`,
  'iu',
);

/** `tests`, or the file, if a text asks only to run it; null when it asks for something else. */
export function asksToRun(task: string): string | null {
  const [, tests, file] = runs.exec(task) ?? [];
  return tests === undefined ? (file ?? null) : 'tests';
}

const makes =
  '(?:make|write|create|save|store|put|build|generate|produce|add|fix|change|implement|remove|delete|rename|refactor|update|replace|move|copy|convert)';
/** In "create, change or delete", none of the words is an order. */
const noOrder = String.raw`\b(?!\s*(?:[,;:.?!]|or\b|and\b|$))`;
const kindly = String.raw`(?:(?:please|also|finally|and|then|me)\s+){0,3}`;
const orderLater = new RegExp(String.raw`(?:[,;:]|\bthen,?)\s+${kindly}${makes}${noOrder}`, 'iu');
const orderBeside = new RegExp(String.raw`\band\s+${kindly}${makes}${noOrder}`, 'iu');
const wishLater = new RegExp(
  String.raw`(?:[,;:]|\band|\bthen)\s+(?:please|(?:can|could|would|will) you)\s+${kindly}${makes}\b`,
  'iu',
);

/**
 * "Show a table of them, then make two files" has an order after a question. "How do I read and write a file" has none.
 */
function hasOrder(sentence: string): boolean {
  if (/[?？]$/u.test(sentence)) return wishLater.test(sentence);
  return orderLater.test(sentence) || (orderBeside.test(sentence) && !/\bhow\b/iu.test(sentence));
}

/** A longer text brings along something to work on. */
const longestQuestion = 20_000;

/**
 * Whether a task's words ask for an answer rather than a change: one sentence asks, and the others only tell. In doubt
 * it is work: a question taken for work still gets its answer, but a change taken for a question is never made.
 */
export function isQuestion(task: string): boolean {
  if (isSmallTalk(task)) return true;
  const text = task.trim();
  if (text.length > longestQuestion) return false;
  const sentences = text.split(/(?<=[.!?。？！])\s+|\n+/u).filter((sentence) => sentence.trim() !== '');
  if (sentences.length === 0) return false;
  if (hasLaterOrder(task)) return false;
  const asking = sentences.map((sentence) => isAskingSentence(sentence.trim()));
  return asking.includes(true) && sentences.every((sentence, at) => asking[at] === true || isTelling(sentence));
}

const fault =
  /\b(?:should|must|wrong|broken|bugs?|crash(?:es|ed)?|fails?|failed|failing|(?:red|green) tests?|tests? (?:is|are) red)\b/iu;

const telling =
  /^\W*(?:i|we|you|he|she|it|they|this|that|these|those|there|the|an?|some|my|our|your|all|many|most|(?:please )?(?:name|point|tell|say|quote|cite|answer|explain))\b/iu;

/** "I still get old mails." and "Name the function." An order, or a word of what is wrong, is more than that. */
function isTelling(sentence: string): boolean {
  return telling.test(sentence) && !work.test(sentence) && !fault.test(sentence);
}

/** Whether a text begins as a question and goes on with an order to make something. */
export function hasLaterOrder(task: string): boolean {
  const text = task.slice(0, longestQuestion).trim();
  return text.split(/(?<=[.!?。？！])\s+|\n+/u).some((sentence) => hasOrder(sentence.trim()));
}

/** Whether a task's own words say that something must be changed. Only saying what is wrong does not count. */
export function asksForChange(task: string): boolean {
  return !isQuestion(task) && work.test(task);
}

/** Orders to look, to run something or to use a tool, of which nothing in the project changes. */
const looks = new RegExp(
  String.raw`${politely}(?:check|look|use|call|ask|list|show|run|execute|print|fetch|search|open|say|send|tell|count|measure|ping|read|report|compare|calculate|compute|translate|draw|plot|deploy|publish|commit|e-?mail|summari[sz]e|describe|explain|review)\b`,
  'iu',
);

/** Whether a task clearly asks for no change of code: "Check the network for me", "Use the echo tool to say hello". */
export function asksForNoCode(task: string): boolean {
  return looks.test(task) && !work.test(task);
}

const offWords =
  /^\W*(?:(?:no|nein|non|ok(?:ay)?|ach|oh|please|bitte)[\s,.!]+)*(?:never ?mind|forget (?:it|that|about it)|leave (?:it|that|everything|all)\b|stop\b|cancel\b|do(?: not|n[’']t) (?:do|change|bother)|lass (?:es|das|alles)\b|vergiss (?:es|das)|(?:bitte )?(?:nichts|nicht) ändern|abbrechen|brich ab|laisse(?:z)? tomber|annule(?:z)?\b|déjalo|olvídalo|cancela\b|lascia (?:stare|perdere)|deixa (?:pra lá|estar)|отмена|не надо|算了|不用了|やめて)/iu;

/** Whether an answer calls the task off: "Never mind, leave everything as it is." */
export function callsOff(text: string): boolean {
  return offWords.test(text);
}

const onWords =
  /^\W*(?:please\s+)?(?:continue|go on|carry on|keep going|(?:mach |bitte )?weiter|continuez?|continuer|sigue|continúa|continua|продолжай|继续|続けて|(?:take )?the (?:first|second|third|fourth|last|former|latter)(?: one)?)(?:[\s,]+please)?\W*$/iu;

/** Whether a message only says to go on, or names one of what was offered: it is no task of its own. */
export function goesOn(text: string): boolean {
  return onWords.test(text);
}

const asksForTests =
  /\b(?:write|add|create|generate)\s+(?:(?:me|a|an|the|some|more|few|unit|missing|new|two|three|several|good)\s+)*(?:tests?|specs?|test cases?|coverage)\b/i;

const withTests =
  /\b(?:with|including|plus|and|incl\.?)\s+(?:(?:a|an|the|some|its|own|good|few|full|new|proper|pytest|unittest|vitest|jest|unit|integration|corresponding|matching)\s+){0,4}(?:tests?|specs?|test (?:files?|suite|cases?|coverage))\b(?!\s+(?:modes?|flags?|pages?|pass|fail|still|should|must|are|is|was|were|that|which|run|running|green|data|for the (?:existing|old)))/iu;
const making = /\b(?:write|add|create|generate|build|make|implement|develop|code|design)\b/iu;

/** Whether a text also asks for tests: "build a tool with unit tests", "add median() and tests for it". */
export function wantsTests(task: string): boolean {
  return asksForNewTests(task) || (making.test(task) && withTests.test(task));
}

const feature = /\b(?:add|implement|support|introduce|extend)\b/iu;
const known =
  /\b(?:fix|fails?|failing|bug|broken|rename|comments?|docstrings?|typos?|readme|changelog|format(?:ting)?)\b/iu;

/** Whether a text asks for something that does not exist yet: a feature, or a thing together with its tests. */
export function makesNew(task: string): boolean {
  if (isQuestion(task) || known.test(task)) return false;
  return (making.test(task) && withTests.test(task)) || (feature.test(task) && !asksForNewTests(task));
}

/** Whether a text asks to write tests, rather than code that passes them. */
export function asksForNewTests(task: string): boolean {
  return asksForTests.test(task);
}

/** Words that nearly always mean a drawing. */
const drawn =
  /\b(?:(?:bar|line|pie|area|column|scatter|gantt|flow|org) ?(?:charts?|graphs?|plots?|diagrams?)|charts?|plots?|plotted|plotting|diagrams?|infographics?|histograms?|scatter ?plots?|mermaid|flow ?charts?|mind ?maps?|visuali[sz](?:e|es|ed|ation|ations)|mock-?ups?|canvas_render)\b/iu;
/**
 * Words that mean a drawing only together with a wish to be shown one. A table may be in a database, a graph may
 * consist of nodes.
 */
const maybe =
  /\b(?:tables?|graphs?|figures?|images?|pictures?|screenshots?|drawings?|sketch(?:es)?|illustrations?)\b/iu;
const showing = /\b(?:show|draw|display|render|sketch|present|illustrate|compare|give me|as an?|in an?)\b/iu;
/** The same in other languages: German, French, Spanish, Italian, Portuguese, Chinese, Japanese. */
const drawnElsewhere =
  /diagramm|schaubild|zeichne|visualisier|tabelle|graphique|diagramme|tableau|gráfic|diagrama|tabla|grafico|tabella|图表|圖表|表格|グラフ|図表/iu;

/** Whether a text asks to be shown a table, chart, diagram or picture. In doubt it does: this only offers a tool. */
export function asksToDraw(text: string): boolean {
  return drawn.test(text) || drawnElsewhere.test(text) || (maybe.test(text) && showing.test(text));
}
