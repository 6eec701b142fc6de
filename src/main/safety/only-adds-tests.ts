/** What leaves a test out, ends it before it judges, or gives every test of the file something else to judge. */
const bends =
  /\bskip|\bxfail|\btodo\b|\.only\b|\bx(?:it|describe)\(|\bpytestmark\b|\bautouse\b|\bmonkeypatch\b|\bmock\b|_exit\b|\.exit\(|__test__|\bset_?up|\btear_?down|\bbefore(?:each|all)|\bafter(?:each|all)|collect_ignore/iu;
/** Names that another thing of the same name would take the place of. */
const definition = /^(?:async )?(?:def|class|function|const|let|var) ([\w$]+)/u;

/**
 * Whether a test file only gains tests: every line that was there still stands there, in its order, with no other between
 * but imports, and what is new comes at the end, takes no name that was there and leaves no test out. In doubt it does not.
 */
export function onlyAddsTests(before: string, after: string): boolean {
  const old = linesOf(before);
  const added: string[] = [];
  let at = 0;
  for (const line of linesOf(after)) {
    if (at < old.length && line === old[at]) at += 1;
    else if (at === old.length) added.push(line);
    else if (line.trim() !== '' && !isImport(line)) return false;
  }
  if (at < old.length || added.every((line) => line.trim() === '')) return false;
  const known = new Set(old.flatMap(nameOf));
  const names = added.flatMap(nameOf);
  const isOwn = names.every((name) => !known.has(name)) && new Set(names).size === names.length;
  return isOwn && !added.some((line) => bends.test(line)) && added.every((line) => isDefining(line));
}

/** One statement that takes something in by its name. */
function isImport(line: string): boolean {
  const text = line.trim().replace(/;$/u, '');
  if (text.includes(';')) return false;
  if (text.startsWith('import ') || (text.startsWith('from ') && text.includes(' import '))) return true;
  return /^(?:const|let|var) /u.test(text) && text.endsWith(')') && text.includes('= require(');
}

/** A line at the left edge that does more than define or call a test would run before the tests that were there. */
function isDefining(line: string): boolean {
  if (line === '' || line.startsWith(' ') || line.startsWith('\t') || isImport(line)) return true;
  if (/^(?:async )?(?:def|function) /u.test(line)) return true;
  if (line.startsWith('class ')) return line.endsWith(':') || line.endsWith('{');
  if (/^@(?:pytest\.fixture|pytest\.mark\.(?:parametrize|asyncio)|unittest\.)/u.test(line)) return true;
  return /^(?:(?:test|it|describe)[.(]|[)\]}"#]|\/\/|if __name__ == )/u.test(line);
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/u);
  while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop();
  return lines;
}

/** Of a method as of a function: a second one of its name takes its place. */
function nameOf(line: string): readonly string[] {
  const text = line.trimStart();
  const name = definition.exec(text)?.[1];
  const counts = text === line || text.startsWith('def ') || text.startsWith('async def ');
  return name === undefined || !counts ? [] : [name];
}
