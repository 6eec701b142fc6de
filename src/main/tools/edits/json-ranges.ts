/** Where a value stands in a JSON text: from its first character to after its last. */
export interface JsonRange {
  readonly from: number;
  readonly to: number;
}

/** The values of the object that begins at `from`, by key. The text must be valid JSON. */
export function objectValues(json: string, from: number): ReadonlyMap<string, JsonRange> {
  const values = new Map<string, JsonRange>();
  let at = skipSpace(json, from + 1);
  while (json[at] === '"') {
    const keyEnd = valueEnd(json, at);
    const key: unknown = JSON.parse(json.slice(at, keyEnd));
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = valueEnd(json, start);
    values.set(String(key), { from: start, to: end });
    at = skipSpace(json, end);
    if (json[at] === ',') at = skipSpace(json, at + 1);
  }
  return values;
}

/** The items of the array that begins at `from`. */
export function arrayItems(json: string, from: number): readonly JsonRange[] {
  const items: JsonRange[] = [];
  let at = skipSpace(json, from + 1);
  while (at < json.length && json[at] !== ']') {
    const end = valueEnd(json, at);
    items.push({ from: at, to: end });
    at = skipSpace(json, end);
    if (json[at] === ',') at = skipSpace(json, at + 1);
  }
  return items;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (at < json.length && ' \t\n\r'.includes(json.charAt(at))) at += 1;
  return at;
}

function valueEnd(json: string, from: number): number {
  const first = json[from];
  if (first === '"') return stringEnd(json, from);
  let at = from;
  if (first !== '{' && first !== '[') {
    while (at < json.length && !',]} \t\n\r'.includes(json.charAt(at))) at += 1;
    return at;
  }
  let depth = 0;
  do {
    const character = json[at];
    if (character === '"') {
      at = stringEnd(json, at);
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    at += 1;
  } while (depth > 0 && at < json.length);
  return at;
}

function stringEnd(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}
