import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';

const isSheet = (name: string): boolean => /^xl\/worksheets\/[^/]+\.xml$/u.test(name);

/**
 * The workbook with the text of each formula that nobody has computed yet, as programs write it that do not compute.
 * Without it, such a cell is empty, or the whole workbook is damaged for the reader. `bytes` must have been checked.
 */
export function withFormulaTexts(bytes: Uint8Array): Uint8Array {
  const sheets = unzipSync(bytes, { filter: ({ name }) => isSheet(name) });
  const changed = Object.entries(sheets).flatMap(([name, content]) => {
    const text = strFromU8(content);
    const next = sheetWithFormulaTexts(text);
    return next === text ? [] : [[name, strToU8(next)] as const];
  });
  if (changed.length === 0) return bytes;
  return zipSync({ ...unzipSync(bytes), ...Object.fromEntries(changed) }, { level: 0 });
}

/** Each cell is looked at once: what a pattern looks for within it ends at its end. */
function sheetWithFormulaTexts(xml: string): string {
  const pieces: string[] = [];
  const opening = /<((?:\w{1,20}:)?)c(\s[^<>]{0,400})?>/gu;
  let kept = 0;
  for (let found = opening.exec(xml); found !== null; found = opening.exec(xml)) {
    const [head, prefix = '', facts = ''] = found;
    if (facts.endsWith('/')) continue;
    const from = found.index + head.length;
    const end = xml.indexOf(`</${prefix}c>`, from);
    if (end < 0) break;
    opening.lastIndex = end;
    const formula = uncomputed(xml.slice(from, end), facts);
    if (formula === null) continue;
    const place = /\br="[A-Z]{1,3}\d{1,7}"/u.exec(facts)?.[0] ?? '';
    const [c, is, t] = ['c', 'is', 't'].map((name) => `${prefix}${name}`);
    pieces.push(xml.slice(kept, found.index), `<${c} ${place} t="inlineStr"><${is}><${t}>${formula}</${t}></${is}>`);
    kept = end;
  }
  return kept === 0 ? xml : [...pieces, xml.slice(kept)].join('');
}

/** What stands for the formula of a cell, as XML. Null: it has none, or a value. An empty text is a value, too. */
function uncomputed(cell: string, facts: string): string | null {
  const formula = /<(?:\w{1,20}:)?f(?:\s[^<>]*)?>([^<]*)/u.exec(cell);
  if (formula === null) return null;
  const value = /<(?:\w{1,20}:)?v(?:\s[^<>]*)?>([^<]*)/u.exec(cell);
  const isText = /\bt="str"/u.test(facts) && value !== null && !value[0].endsWith('/>');
  if (isText || (value?.[1] ?? '').trim() !== '') return null;
  // Others of a shared formula name its number alone.
  const text = formula[0].endsWith('/>') ? '' : (formula[1] ?? '').trim();
  return text === '' ? '(formula, not computed)' : `(formula, not computed: =${text})`;
}
