import { beforeAll, describe, expect, test } from 'vitest';
import { loadSyntax, type CodeLanguage, type Syntax } from '../../../../../src/main/recipes/code/code-syntax.ts';
import { applyMutation, mutationsOf } from '../../../../../src/main/recipes/fix/mechanical/mechanical-changes.ts';

let syntax: Syntax;
beforeAll(async () => {
  syntax = await loadSyntax();
});

/** Every text that one small change makes of a file. */
function changesOf(language: CodeLanguage, text: string): readonly string[] {
  const span = { language, startLine: 1, endLine: text.split('\n').length };
  return mutationsOf(syntax, text, span).map((mutation) => applyMutation(text, mutation));
}

const python = (text: string) => changesOf('python', text);
const script = (text: string) => changesOf('javascript', text);

describe('what the file already has', () => {
  test('another key', () => {
    const text = 'def net(row):\n    return row["gross"] - row["tax"] * row["net"]\n';
    expect(python(text)).toContain(text.replace('"gross"', '"net"'));
  });

  test('another attribute of the same thing', () => {
    const text = 'function label(user) {\n  return user.nick + user.id + user.name;\n}\n';
    expect(script(text)).toContain(text.replace('user.nick', 'user.name'));
  });

  test('another constant', () => {
    const text = 'LIMIT = 5\nMOST = 9\n\ndef full(n):\n    return n > LIMIT\n';
    expect(python(text)).toContain(text.replace('n > LIMIT', 'n > MOST'));
  });

  test('a helper that was forgotten, and one that is too many', () => {
    const text = 'const clean = (key) => key.trim();\nfunction put(map, key) {\n  map.set(key, clean(1));\n}\n';
    expect(script(text)).toContain(text.replace('set(key,', 'set(clean(key),'));
    expect(script(text)).toContain(text.replace('clean(1)', '1'));
  });

  test('a condition that is asked elsewhere', () => {
    const text = 'def send(user, force):\n    if user.muted:\n        return None\n    return user\n';
    expect(python(text)).toContain(text.replace('if user.muted', 'if user.muted and not force'));
  });
});

describe('a statement in the wrong place', () => {
  test('behind its block', () => {
    const text = 'for (const x of xs) {\n  sum += x;\n  report(sum);\n}\n';
    expect(script(text)).toContain('for (const x of xs) {\n  sum += x;\n}\nreport(sum);\n');
  });

  test('before its block', () => {
    const text = 'for x in xs:\n    seen = set()\n    seen.add(x)\n';
    expect(python(text)).toContain('seen = set()\nfor x in xs:\n    seen.add(x)\n');
  });

  test('into the block before it', () => {
    const text = 'if (ok) {\n  a();\n}\nb();\n';
    expect(script(text)).toContain('if (ok) {\n  a();\n  b();\n}\n');
  });

  test('with an end that was forgotten', () => {
    const text = 'for x in xs:\n    if x:\n        skip(x)\n    use(x)\n';
    expect(python(text)).toContain('for x in xs:\n    if x:\n        skip(x)\n        continue\n    use(x)\n');
  });
});

describe('slips with what a language brings', () => {
  test.each([
    ['const all = { ...given, ...defaults };\n', 'const all = { ...defaults, ...given };\n'],
    ['list.forEach(async (x) => save(x));\n', 'Promise.all(list.map(async (x) => save(x)));\n'],
    ['const m = day.getMonth();\n', 'const m = day.getMonth() + 1;\n'],
    ['const d = day.getDate();\n', 'const d = day.getUTCDate();\n'],
    ["const lines = text.split('\\n');\n", 'const lines = text.split(/\\r?\\n/);\n'],
    ['const wait = seconds;\n', 'const wait = (seconds * 1000);\n'],
  ])('JavaScript: %j', (text, fixed) => {
    expect(script(text)).toContain(fixed);
  });

  test.each([
    ['try:\n    f()\nexcept ValueError:\n    pass\n', 'try:\n    f()\nexcept (ValueError, KeyError):\n    pass\n'],
    ['name = path.rstrip(".txt")\n', 'name = path.removesuffix(".txt")\n'],
    ['with open(path) as f:\n    pass\n', "with open(path, encoding='utf-8') as f:\n    pass\n"],
    ['best = max(sizes)\n', 'best = max(sizes, default=0)\n'],
    ['age = (now - then).seconds\n', 'age = (now - then).total_seconds()\n'],
  ])('Python: %j', (text, fixed) => {
    expect(python(text)).toContain(fixed);
  });
});

describe('what lasts', () => {
  test.each([
    [
      'a field that is to be empty again',
      'class A {\n  #old = [];\n  push(x) {\n    this.x = x;\n  }\n}\n',
      'this.x = x;\n',
      'this.x = x;\n    this.#old = [];\n',
    ],
    [
      'a callback that nobody waits for',
      'async function save(rows) {\n  rows.forEach(async (row) => {\n    if (!row) return;\n    await put(row);\n  });\n}\n',
      'rows.forEach(async (row) => {\n    if (!row) return;\n    await put(row);\n  });',
      'for (const row of rows) {\n    if (!row) continue;\n    await put(row);\n  }',
    ],
    [
      'the Sunday of a week',
      'function days(date) {\n  return date.getUTCDay() - 1;\n}\n',
      'date.getUTCDay() - 1',
      '(date.getUTCDay() + 6) % 7',
    ],
    ['all that was given', 'function key(...args) {\n  return args[0];\n}\n', 'args[0]', 'JSON.stringify(args)'],
  ])('%s, in JavaScript', (_, text, old, now) => {
    expect(script(text)).toContain(text.replace(old, now));
  });

  test.each([
    [
      'a field that is to be empty again',
      'class A:\n    def __init__(self):\n        self.old = []\n\n    def take(self):\n        return 1\n',
      '        return 1',
      '        self.old = []\n        return 1',
    ],
    ['the days of a time', 'def age(d):\n    return d.seconds // 60\n', 'd.seconds', 'int(d.total_seconds())'],
    [
      'a time of another zone',
      'def utc(t):\n    return t.replace(tzinfo=UTC)\n',
      't.replace(tzinfo=UTC)',
      '(t if t.tzinfo else t.replace(tzinfo=UTC)).astimezone(UTC)',
    ],
    ['what is divided', 'def kg(a, b):\n    return a / 1000 + b\n', 'a / 1000 + b', '(a + b) / 1000'],
  ])('%s, in Python', (_, text, old, now) => {
    expect(python(text)).toContain(text.replace(old, now));
  });
});

test('the other quotes inside of a text', () => {
  const text = `def tag(t):\n    return f"<a term='{t}'/>"\n`;
  expect(python(text)).toContain(`def tag(t):\n    return f'<a term="{t}"/>'\n`);
  const one = "const tag = (t) => `<a term='${t}'/>`;\n";
  expect(script(one)).toContain('const tag = (t) => `<a term="${t}"/>`;\n');
});
