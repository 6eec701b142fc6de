/** Ways to offer more of something that is finished. The person need not answer them. */
const offer =
  /(?<!\bor )\b(?:anything|something|what) else\b|\banything more\b|(?<!\bor )\banother\b|\b(?:any|other|more|further) questions\b|\bif you (?:need|have|want)\b|\b(?:does|did) (?:that|this|it) help\b|\bhow can i help\b|\bsonst noch\b|\bnoch (?:et)?was\b|\b(?:noch|weitere) fragen\b|\bautre chose\b|\bautres questions\b|\balgo más\b|\botra cosa\b|\bmás preguntas\b|\bmais alguma coisa\b|\balgo mais\b|\b(?:qualcos'|qualche )?altr[oe](?: domande)?\s*\?|還有|还有(?:其他|别的|什么)|其他问题|(?:他|ほか)に何か|что-(?:нибудь|то) (?:ещё|еще)|(?:ещё|еще) (?:вопрос|что)/iu;

/** A question mark as several scripts write it, or the Japanese ending of a question. */
const question = /[?？؟]["'”»)*_]{0,4}$|か[。.]?$/u;

/** "Tell me which": a question without a question mark. */
const request =
  /\b(?:answer|reply) with\b|\b(?:sag|sagen sie|teil|teilen sie) mir\b|\bplease,? (?:tell me|let me know|choose|confirm|specify|provide|clarify|decide)\b|\b(?:let me know|tell me) (?:which|what|whether|how|who|where|when)\b|\bbitte (?:sag|nenn|wähl|bestätig|gib|geben sie|entscheid)|\b(?:dis|dites)-moi\b|\bveuillez (?:préciser|confirmer|choisir|indiquer)\b|\b(?:dime|indícame|confírmame|dígame)\b|\bpor favor,? (?:diga|confirme|escolha|indique|elige|elija)\b|请(?:告诉|选择|确认|说明|提供)|(?:教えて|選んで|お知らせ|ご確認)ください|\b(?:скажите|уточните|выберите|подтвердите)/iu;

/** Words that ask for a fact or a choice, and offer nothing. */
const which =
  /\b(?:which|what|who|whose|where|when|how|or|welche[rsnm]?|wer|wo|wann|wie|oder|quel(?:le)?s?|qui|où|quand|cuál(?:es)?|quién|dónde|cuándo|qual|quais|quem|onde|quale|dove|какой|какая|какие|кто|где)\b|哪|什么|どの|どれ|何/iu;

/** Ways to offer the next piece of work. */
const offersMore =
  /\b(?:do you want|would you like|want|shall|should) (?:me|i)\b|\b(?:soll|möchtest du, dass) ich\b|\bwhat do you think\b|\blet me know when\b/iu;

/**
 * The same for work that has changed something already: only a question for a fact or a choice counts, because "Shall I
 * also …?" after finished work offers more.
 */
export function asksForFact(text: string): boolean {
  return questionsIn(text).some((sentence) => which.test(sentence) && !offersMore.test(sentence));
}

const listLine = /^\s*(?:[-*•]|\(?[0-9a-z][.)])\s+/iu;

/**
 * Whether an answer in words asks the person something: its last paragraph has a question that is more than an offer
 * of further help. A list of choices belongs to the paragraph before it, and code is left out.
 */
export function asksPerson(text: string): boolean {
  return questionsIn(text).length > 0;
}

function questionsIn(text: string): readonly string[] {
  const paragraphs = text
    .replaceAll(/```[\s\S]*?(?:```|$)/gu, '')
    .replaceAll(/`[^`\n]+`/gu, '``')
    .split(/\n\s*\n/u)
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return sentencesOf(lastOf(paragraphs)).filter(
    (sentence) => (question.test(sentence) || request.test(sentence)) && !offer.test(sentence),
  );
}

function lastOf(paragraphs: readonly string[]): string {
  const last = paragraphs.at(-1) ?? '';
  const isList = last.split('\n').every((line) => listLine.test(line) || /^\s{2,}/u.test(line));
  return isList && paragraphs.length > 1 ? `${lastOf(paragraphs.slice(0, -1))}\n${last}` : last;
}

function sentencesOf(paragraph: string): readonly string[] {
  return paragraph.split(/(?<=[.!?؟]["'”»)*_]{0,4})\s|(?<=[。？！])|\n/u).filter((one) => one.trim() !== '');
}
