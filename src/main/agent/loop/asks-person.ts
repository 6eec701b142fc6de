/** Ways to offer more of something that is finished, or to ask for praise. The person need not answer them. */
const offer =
  /(?<!\bor )\b(?:anything|something|what) else\b|\banything more\b|(?<!\bor )\banother\b|\b(?:any|other|more|further) questions\b|\bif you(?:['’]d| would)? (?:need|have|want|like)\b|\b(?:let me know|tell me) (?:if|what you think|how it goes)\b|\b(?:does|did) (?:that|this|it) (?:help|work for you|look)\b|\bhow can i help\b|\bwhat do you think\b|\bhow (?:does|do) (?:it|this|that|they) look\b|\bis (?:this|that|it) what you (?:wanted|were looking for|had in mind)\b|\b(?:sounds?|looks?) good\b|\bsonst noch\b|\bnoch (?:et)?was\b|\b(?:noch|weitere) fragen\b|\bpasst (?:das|es|alles)\b|\bgefällt\b|\bautre chose\b|\bautres questions\b|\balgo más\b|\botra cosa\b|\bmás preguntas\b|\bmais alguma coisa\b|\balgo mais\b|\b(?:qualcos'|qualche )?altr[oe](?: domande)?\s*\?|\bcon altro\b|還有|还有(?:其他|别的|什么)|其他问题|(?:他|ほか)に何か|что-(?:нибудь|то) (?:ещё|еще)|(?:ещё|еще) (?:вопрос|что)/iu;

/** A question mark as several scripts write it, or the Japanese ending of a question. */
const question = /[?？؟]["'”»)*_]{0,4}$|か[。.]?$/u;

/** "Tell me which": a question without a question mark. */
const request =
  /\b(?:answer|reply) with\b|\b(?:i|we) (?:still )?need (?:to know|a decision|an answer|your (?:decision|answer|approval|choice|input))\b|\b(?:sag|sagen sie|teil|teilen sie) mir\b|\bplease,? (?:tell|let me know|choose|confirm|specify|provide|clarify|decide|give me|send|share|name|pick|say which)\b|\b(?:let me know|tell me) (?:which|what|whether|how|who|where|when)\b|\bbitte (?:sag|nenn|wähl|bestätig|gib|geben sie|entscheid)|\bgib (?:mir )?(?:einfach |bitte )?bescheid\b|\b(?:dis|dites)-moi\b|\bveuillez (?:préciser|confirmer|choisir|indiquer)\b|\b(?:dime|indícame|confírmame|dígame)\b|\bpor favor,? (?:diga|confirme|escolha|indique|elige|elija)\b|请(?:告诉|选择|确认|说明|提供)|(?:教えて|選んで|お知らせ|ご確認)ください|(?:скажите|уточните|выберите|подтвердите)/iu;

/** Words that ask for a fact or a choice, and offer nothing. */
const which =
  /\b(?:which|what|who|whose|where|when|how|or|welche[rsnm]?|wer|wo|wann|wie|oder|quel(?:le)?s?|qui|où|quand|cuál(?:es)?|quién|dónde|cuándo|qual|quais|quem|onde|quale|dove)\b|какой|какая|какие|кто |где |哪|什么|どの|どれ|何/iu;

/** Ways to offer the next piece of work. */
const offersMore =
  /\b(?:do you want|would you like|want|shall|should) (?:me|i)\b|\b(?:soll|möchtest du, dass) ich\b|\blet me know when\b/iu;

/** A question to the person, rather than one that the answer itself poses: "Why did it fail? Because …" */
const toPerson =
  /\b(?:should|shall|may|must|want|prefer|can|could)\b|\b(?:do|would|will|are) you\b|\byour?\b|\b(?:soll(?:en|te|ten)?|darf|dürfen|möchtest|willst|bevorzugst|dir|dich|ihnen)\b|\b(?:dois|puis|doit|faut|veux|voulez|préfères|préférez|souhaitez)\b|\b(?:debo|puedo|debe|quieres|prefieres|desea)\b|\b(?:devo|posso|deve|vuoi|preferisci|quer|prefere|você)\b|[^ -\u024F\u2000-\u206F]/iu;

/** What follows a question that the answer itself poses. */
const ownAnswer =
  /^(?:because|yes|no|it was|it is|ja|nein|weil|oui|non|parce|sí|porque|sì|perché|sim|是|不|因为|はい|いいえ|да|нет)\b/iu;

/** "Where is the schema? I cannot find it." */
const stuck = /\b(?:can(?:['’]t|not)|could(?:n['’]t| not)|unable|not sure|unclear)\b/iu;

/** Words that only close an answer and leave the question before them open. */
const closing =
  /\b(?:thank(?:s| you)|i(?:['’]ll| will) (?:wait|go on|continue|start|proceed)|once (?:i|you)|as soon as|(?:vielen )?dank\b|ich warte|merci|gracias|grazie|obrigad[oa])|谢谢|ありがとう|お待ち|спасибо/iu;

const mostClosing = { sentences: 2, characters: 200 } as const;

/**
 * Whether an answer in words asks the person something that its work waits for: its end has a question that is more
 * than an offer of further help or a wish to be praised. A list of choices and a few closing words may follow it.
 */
export function asksPerson(text: string): boolean {
  return openQuestions(text).length > 0;
}

/**
 * The same for work that has changed something already: only a question for a fact or a choice counts, because "Shall I
 * also …?" offers more.
 */
export function asksForFact(text: string): boolean {
  return openQuestions(text).some((sentence) => which.test(sentence) && !offersMore.test(sentence));
}

/** Ways to ask for leave to carry out a plan. */
const leave =
  /\b(?:plan|start|begin|proceed|go ahead|go on|continue|approve|okay|ok|ready|anfangen|loslegen|beginnen|commencer|empezar|iniziare)\b|开始|始め|начать|начинать/iu;

/** The same for a plan, which may close with "Shall I start?": its button answers that. */
export function asksInPlan(text: string): boolean {
  return openQuestions(text).some((sentence) => !offersMore.test(sentence) && !leave.test(sentence));
}

interface Block {
  readonly isList: boolean;
  readonly sentences: readonly string[];
}

/** The questions at the end of an answer. */
function openQuestions(text: string): readonly string[] {
  const blocks = blocksOf(text);
  const list = blocks.at(-1)?.isList === true ? blocks.at(-1) : undefined;
  const said = list === undefined ? blocks : blocks.slice(0, -1);
  const last = said.at(-1);
  const ofList = list?.sentences.filter(isAsking) ?? [];
  if (last === undefined || last.isList) return ofList;
  const own = [...questionsOf(last, list !== undefined), ...ofList];
  if (own.length > 0 || list !== undefined) return own;
  return beforeClosing(said, last);
}

/** "Which one? \n\n 1. … 2. … \n\n I would take the second.": the question before the choices and the last words. */
function beforeClosing(blocks: readonly Block[], last: Block): readonly string[] {
  const { sentences } = last;
  const isShort = sentences.length <= mostClosing.sentences && sentences.join(' ').length <= mostClosing.characters;
  if (!isShort || sentences.some((one) => offer.test(one))) return [];
  const before = blocks.at(-2);
  const asking = before?.isList === true ? blocks.at(-3) : before;
  const isClosed = before?.isList === true || sentences.every((one) => closing.test(one));
  if (asking === undefined || asking.isList || !isClosed) return [];
  return questionsOf(asking, before?.isList === true).filter((one) => toPerson.test(one));
}

/**
 * The questions of a paragraph that are still open at its end. Further sentences may explain a question to the person,
 * but the answer to any other is its own.
 */
function questionsOf({ sentences }: Block, hasChoices: boolean): readonly string[] {
  return sentences.filter((sentence, at) => {
    if (!isAsking(sentence) && !(hasChoices && at === sentences.length - 1 && asksByColon(sentence))) return false;
    const after = sentences.slice(at + 1).find((one) => !isAsking(one));
    if (after === undefined) return true;
    return request.test(sentence) || stuck.test(after) || (toPerson.test(sentence) && !ownAnswer.test(after));
  });
}

function isAsking(sentence: string): boolean {
  return (question.test(sentence) || request.test(sentence)) && !offer.test(sentence);
}

/** "Which of them do you want:" */
function asksByColon(sentence: string): boolean {
  return /[:：]$/u.test(sentence) && which.test(sentence) && toPerson.test(sentence);
}

const listLine = /^\s*(?:[-*•|]|\(?[0-9a-z][.)])\s*/iu;

/** The paragraphs and lists of an answer, without code and without what it quotes. */
function blocksOf(text: string): readonly Block[] {
  const lines = text
    .replaceAll(/```[\s\S]*?(?:```|$)/gu, '')
    .replaceAll(/`[^`\n]+`/gu, '``')
    .replaceAll(/"[^"\n]{0,300}"|“[^”\n]{0,300}”|„[^“”\n]{0,300}[“”]|«[^»\n]{0,300}»/gu, '""')
    .split('\n')
    .filter((line) => !/^\s*>/u.test(line));
  const blocks: { isList: boolean; lines: string[] }[] = [];
  let isNew = true;
  for (const line of lines) {
    if (line.trim() === '') {
      isNew = true;
      continue;
    }
    const last = blocks.at(-1);
    const isList = listLine.test(line) || (last?.isList === true && /^\s{2,}/u.test(line));
    if (last !== undefined && last.isList === isList && (isList || !isNew)) last.lines.push(line);
    else blocks.push({ isList, lines: [line] });
    isNew = false;
  }
  return blocks.map((block) => ({ isList: block.isList, sentences: block.lines.flatMap(sentencesOf) }));
}

function sentencesOf(line: string): readonly string[] {
  return line
    .split(/(?<=[.!?؟]["'”»)*_]{0,4})\s|(?<=[。？！])/u)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
