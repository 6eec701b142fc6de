import { termsOf } from '../context/rank-project-chunks.ts';

/** A part of a document that an answer can rest on. */
interface SupportPart {
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

interface AnsweredQuestion {
  readonly task: string;
  readonly answer: string;
  /** The parts that the answer cites. */
  readonly cited: readonly SupportPart[];
  /** All parts that the model was shown. */
  readonly shown: readonly SupportPart[];
}

/**
 * What an answer claims and its cited parts do not have: numbers, and the words that the question is about if most of
 * them are not there. Empty: nothing speaks against it, or it says itself that the answer is not there. It compares
 * words, so a right answer in other words than the question's can be doubted. A question in another language than the
 * documents has other words in any case, and only its numbers are compared.
 */
export function wordsNotCited({ task, answer, cited, shown }: AnsweredQuestion): readonly string[] {
  const files = new Set(cited.map(({ path }) => path));
  const ofFiles = shown.filter(({ path }) => files.has(path));
  const known = new Set([...numbersIn(task), ...ofFiles.flatMap((part) => numbersIn(wordsOf(part)))]);
  const numbers = numbersIn(withoutPlaces(answer)).filter((one) => !known.has(one));
  if (numbers.length > 0) return numbers;
  if (saysAbsent.test(answer) || isOtherLanguage(task, ofFiles.map(({ text }) => text).join('\n'))) return [];
  const here = termsOf(cited.map(wordsOf).join('\n'));
  const inFiles = termsOf(ofFiles.map(wordsOf).join('\n'));
  const missing: string[] = [];
  let [had, all] = [0, 0];
  for (const { word, stem, weight } of subjectOf(task)) {
    const isHere = has(here, stem);
    // The file as a whole is about it, such as the pump of a manual.
    const isNear = !isHere && has(inFiles, stem);
    all += isHere || isNear || weight < 1 ? weight : 2 * weight;
    had += isHere ? weight : isNear ? weight / 2 : 0;
    if (!isHere && !isNear) missing.push(word);
  }
  return had * 2 < all ? missing : [];
}

/** Small words that any text of a language has, and the others seldom have. */
const smallWords = Object.entries({
  en: 'the of and is are to for with which what how does do this that when who must can be by from',
  de: 'der die das und ist sind nicht ein eine einer wie wann wer welche welcher welches wird werden mit für von auf dem den im zum zur muss darf',
  fr: 'le les des est sont une du au aux quel quelle quels quelles combien comment quand qui dans pour avec pas être faut doit',
  es: 'el los las una del es son qué cuál cuánto cuánta cuántos cuántas cómo cuándo quién para con por debe hay está cada',
  it: 'il gli della del dei è sono una quanto quanta quanti quale quali come quando chi che per con non deve ogni',
  pt: 'os das dos uma é são não qual quais quanto quanta quantos quando quem para com por deve cada pelo pela',
  nl: 'het een van zijn wordt worden hoe wanneer wie welke voor met niet moet mag elke bij naar',
}).map(([language, words]) => ({ language, words: new Set(words.split(' ')) }));

/** Whether both texts have a language that their small words or their letters show, and it is not the same. */
function isOtherLanguage(task: string, documents: string): boolean {
  const [asked, written] = [languageOf(task), languageOf(documents)];
  return asked !== null && written !== null && asked !== written;
}

/** Null: it cannot be told. */
function languageOf(text: string): string | null {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const letters = words.join('');
  const latin = (letters.match(/\p{Script=Latin}/gu) ?? []).length;
  if (letters.length === 0) return null;
  if (latin * 2 < letters.length)
    return scripts.find(({ pattern }) => pattern.test(letters))?.script ?? 'another script';
  const counts = smallWords
    .map(({ language, words: small }) => ({ language, count: words.filter((word) => small.has(word)).length }))
    .toSorted((left, right) => right.count - left.count);
  const [first, second] = counts;
  return first === undefined || first.count < 2 || first.count <= (second?.count ?? 0) ? null : first.language;
}

/** Kana come first: Japanese has characters of Han, too. */
const scripts = [
  { script: 'kana', pattern: /[\p{Script=Hiragana}\p{Script=Katakana}]/u },
  { script: 'han', pattern: /\p{Script=Han}/u },
  { script: 'hangul', pattern: /\p{Script=Hangul}/u },
  { script: 'cyrillic', pattern: /\p{Script=Cyrillic}/u },
  { script: 'arabic', pattern: /\p{Script=Arabic}/u },
];

const wordsOf = ({ path, name, text }: SupportPart): string => `${path} ${name}\n${text}`;

/** "That is not mentioned": such an answer claims nothing. */
const saysAbsent =
  /\b(?:not?|nor|none|nicht|keine?[nr]?|nichts|pas|aucune?|ning[uú]n[ao]?|não|nessun[ao]?)\b.{0,40}\b(?:say|says|said|state|stated|states|mention\w*|contain\w*|provid\w*|specif\w*|given|listed|found|includ\w*|information|details|angegeben|erwähnt|genannt|enth\w+|angaben?|informationen?|hervor|steht|mentionn\w*|indiqu\w*|menciona\w*|informa\w*|indica\w*)|n['’]t\b.{0,20}\b(?:say|state|mention|contain|provide|specify|give|list|include)/iu;

/** Words by which a question asks, in any document or none. */
const asking = new Set(
  termsOf(
    'long much many often take takes last lasts hold cost costs high heavy large big far fast soon still old every each name named called tell show wie viel viele vielen wieviel lange lang oft hoch groß schwer alt wann wer wen wem was wo welche welcher welches welchen warum muss müssen kann können darf dürfen soll wird werden wurde hat haben hatte ist sind war gibt noch bis ab seit pro für von vom mit ohne bei beim zum zur der die das den dem des ein eine einen einem einer eines und oder aber nicht auch man sich mein meine ich wir sie es im in am an auf aus nach über unter kostet kosten dauert hält heißt combien quel quelle quels quelles comment quand pour dans les des une est sont cuánto cuánta cuántos cuántas cómo cuándo cuál para los las una que quanto quanta quanti quante come quando quale per gli',
  ),
);

const german = /\b(?:der|das|den|dem|des|und|ist|wird|für|von|zum|zur|im|wie|wann|wer|welche[rsn]?)\b/iu;

/** The words that a question is about. One that is probably a verb weighs less, because documents say it in other words. */
function subjectOf(task: string): readonly { readonly word: string; readonly stem: string; readonly weight: number }[] {
  const isGerman = german.test(task);
  const words = task.match(/\p{L}[\p{L}\p{M}\p{N}]*/gu) ?? [];
  return words.flatMap((word) => {
    const isVerb = isGerman ? /^\p{Ll}/u.test(word) : word.endsWith('ed');
    return termsOf(word)
      .filter((stem) => !asking.has(stem))
      .map((stem) => ({ word, stem, weight: isVerb ? 0.5 : 1 }));
  });
}

/** Compounds and endings count: "tank" is in "Wassertank". */
function has(terms: readonly string[], stem: string): boolean {
  const isLong = stem.length >= 4;
  return terms.some(
    (term) =>
      term === stem ||
      (isLong && (term.startsWith(stem) || term.endsWith(stem))) ||
      (term.length >= 5 && stem.startsWith(term)),
  );
}

/** Without the numbers of lines and pages, and without names of files. */
function withoutPlaces(answer: string): string {
  return answer
    .replaceAll(
      /\b(?:lines?|pages?|sections?|zeilen?|seiten?|abschnitte?|lignes?|líneas?|páginas?)[ :]{1,2}\d+/giu,
      ' ',
    )
    .split(/\s+/u)
    .filter((word) => !/\.[a-z][a-z\d]{1,4}(?![a-z\d])/iu.test(word))
    .join(' ');
}

const numberWords = new Map(
  [
    ['two', 'zwei', 'deux', 'dos', 'due', 'dois'],
    ['three', 'drei', 'trois', 'tres', 'tre', 'três'],
    ['four', 'vier', 'quatre', 'cuatro', 'quattro', 'quatro'],
    ['five', 'fünf', 'cinq', 'cinco', 'cinque'],
    ['six', 'sechs', 'seis', 'sei'],
    ['seven', 'sieben', 'sept', 'siete', 'sette', 'sete'],
    ['eight', 'acht', 'huit', 'ocho', 'otto', 'oito'],
    ['nine', 'neun', 'neuf', 'nueve', 'nove'],
    ['ten', 'zehn', 'dix', 'diez', 'dieci', 'dez'],
    ['eleven', 'elf', 'onze', 'undici'],
    ['twelve', 'zwölf', 'douze', 'doce', 'dodici', 'doze'],
  ].flatMap((words, at) => words.map((word) => [word, String(at + 2)] as const)),
);

/** Numbers in digits or words, in one form: 2,800 and 2.800 are 2800, and 1,8 is 1.8. */
function numbersIn(text: string): readonly string[] {
  const found = text.toLowerCase().match(/\d+(?:[.,]\d+)*|\p{L}+/gu) ?? [];
  return found.flatMap((one) => {
    if (!/^\d/u.test(one)) return numberWords.get(one) ?? [];
    const whole = one.replaceAll(/[.,](?=\d{3}(?!\d))/gu, '').replaceAll(',', '.');
    return whole.split('.').length > 2 ? whole.split('.') : [whole.replace(/^0+(?=\d)/u, '')];
  });
}
