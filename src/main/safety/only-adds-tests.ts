/** Words that can skip a test, end it before it judges, or change what the file's other tests judge. */
const bends =
  /\bskip|\bxfail|\btodo\b|\.only\b|\bx(?:it|describe)\(|\bpytestmark\b|\bautouse\b|\bmonkeypatch\b|\bmock\b|_exit\b|\.exit\(|__test__|\bset_?up|\btear_?down|\bbefore(?:each|all)|\bafter(?:each|all)|collect_ignore/iu;
/** A definition whose name may replace an existing one. */
const definition = /^(?:async )?(?:def|class|function|const|let|var) ([\w$]+)/u;

/**
 * Whether a test file only gains tests and imports: every old line is still there, in order, with only imports between
 * them, and the new lines come at the end, reuse no name and skip no test. In doubt the answer is no.
 */
export function onlyAddsTests(before: string, after: string): boolean {
  const old = linesOf(before);
  const added: string[] = [];
  let at = 0;
  let imports = 0;
  for (const line of linesOf(after)) {
    if (at < old.length && line === old[at]) at += 1;
    else if (at === old.length) added.push(line);
    else if (isImport(line)) imports += 1;
    else if (line.trim() !== '') return false;
  }
  if (at < old.length || (imports === 0 && added.every((line) => line.trim() === ''))) return false;
  const known = new Set(old.flatMap(testNamesIn));
  const names = added.flatMap(testNamesIn);
  const isOwn = names.every((name) => !known.has(name)) && new Set(names).size === names.length;
  return isOwn && !added.some((line) => bends.test(line)) && added.every((line) => isDefining(line));
}

/** Whether a line is a single import of names. */
function isImport(line: string): boolean {
  const text = line.trim().replace(/;$/u, '');
  if (text.includes(';')) return false;
  if (text.startsWith('import ') || (text.startsWith('from ') && text.includes(' import '))) return true;
  return /^(?:const|let|var) /u.test(text) && text.endsWith(')') && text.includes('= require(');
}

/** Whether a line only defines or calls a test. Other code at the left edge would run before the existing tests. */
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

/** The name that a line defines, also for a method: a second definition replaces the first. */
function testNamesIn(line: string): readonly string[] {
  const text = line.trimStart();
  const name = definition.exec(text)?.[1];
  const counts = text === line || text.startsWith('def ') || text.startsWith('async def ');
  return name === undefined || !counts ? [] : [name];
}
