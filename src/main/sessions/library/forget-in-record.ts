import type { TextFilter } from './forget-text.ts';

/**
 * Fields by which a session works: undo finds a file by its path, a replay repeats a command. They name something and
 * say nothing, so a text that is forgotten stays in them.
 */
const namingFields: ReadonlySet<string> = new Set(
  [
    'path paths projectPath workspace real files instructionFiles restored merged target cwd root from to movedTo',
    'command check type name tool tools model provider role kind code reasonCode status mode strategy where level by',
    'source state verdict phase cause outcome purpose stopReason scope tier image server language style access policy',
    'confidence recipe assistant host hosts checkpoint sameAs reusedFrom parent child answeredBy appVersion sha256 crc id',
  ].flatMap((fields) => fields.split(' ')),
);

/** In some events they hold a word of ours, in others a sentence. */
const reasonFields: ReadonlySet<string> = new Set(['reason', 'why']);

/** A text in JSON: where its bytes are, between its quotes, and the field that it belongs to. */
interface FieldText {
  readonly start: number;
  readonly end: number;
  readonly field: string;
}

/**
 * Takes texts out of one line of a log, or of a blob that holds such JSON. Keys of objects stay, and so do fields that
 * name something. What is no good JSON is erased as a whole. `json`: one character for each byte, as the result.
 */
export function forgetInRecord(json: string, { erase }: TextFilter): string {
  const whole = erase(json);
  if (whole === json) return json;
  if (!isGoodJson(json)) return whole;
  const all = textsIn(json).map((text) => {
    const bytes = json.slice(text.start, text.end);
    return { ...text, bytes, isNaming: isNaming(text.field, bytes), erased: erase(bytes) };
  });
  const hits = all.filter(({ bytes, erased }) => erased !== bytes);
  // A label is made from the path or command beside it.
  const hasName = hits.some(({ isNaming: isKept }) => isKept);
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, field, isNaming: isKept, erased } of hits) {
    if (isKept || (hasName && field === 'label')) continue;
    parts.push(json.slice(at, start), erased);
    at = end;
  }
  return [...parts, json.slice(at)].join('');
}

function isNaming(field: string, bytes: string): boolean {
  if (namingFields.has(field) || /[a-z]Ids?$/u.test(field)) return true;
  return reasonFields.has(field) && !bytes.includes(' ');
}

function isGoodJson(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    // A damaged line has no fields.
    return false;
  }
}

/** The texts of good JSON that are no keys. Those of a list belong to the field of the list. */
function textsIn(json: string): readonly FieldText[] {
  const texts: FieldText[] = [];
  const outer: string[] = [];
  let field = '';
  const marks = /["[\]{}]/gu;
  for (let mark = marks.exec(json); mark !== null; mark = marks.exec(json)) {
    const [sign] = mark;
    if (sign === '{' || sign === '[') outer.push(field);
    else if (sign !== '"') field = outer.pop() ?? '';
    else {
      const start = mark.index + 1;
      const end = endOfText(json, start);
      marks.lastIndex = end + 1;
      if (isKeyEnd(json, end)) field = json.slice(start, end);
      else texts.push({ start, end, field });
    }
  }
  return texts;
}

/** Where the quote is that ends a text. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start); at !== -1; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (json[before - 1] === '\\') before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return json.length;
}

function isKeyEnd(json: string, quote: number): boolean {
  let at = quote + 1;
  while (' \t\n\r'.includes(json[at] ?? '_')) at += 1;
  return json[at] === ':';
}
