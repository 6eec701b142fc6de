import { afterEach, describe, expect, test } from 'vitest';
import answer from '../../../src/main/recipes/answer.recipe.ts';
import edit from '../../../src/main/recipes/edit.recipe.ts';
import { crashingCommand } from '../../../src/main/recipes/facts/program-crash.ts';
import { makeHarness, type RecipeHarness, type HarnessOptions } from './fakes/recipe-context.ts';

const harnesses: RecipeHarness[] = [];
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.dispose();
});

const files = {
  'lib/flood.js':
    '/** Mutes who writes too much. */\nexport const LIMIT = 8;\nexport const MUTE_SECONDS = 30;\n\nexport function isFlood(count) {\n  return count > LIMIT;\n}\n',
  'lib/rooms.js': 'export function join(room, member) {\n  room.members.push(member);\n}\n',
};

async function harnessOf(options: Partial<HarnessOptions> & Pick<HarnessOptions, 'task'>): Promise<RecipeHarness> {
  const harness = await makeHarness({ files, command: null, ...options });
  harnesses.push(harness);
  return harness;
}

describe('the answer recipe', () => {
  const task = 'How many messages are a flood, and for how many seconds is one muted?';

  test('shows numbered lines, and adds the place that the answer is based on', async () => {
    const harness = await harnessOf({ task, answer: () => 'More than 8 messages; muted for 30 seconds.' });
    const outcome = await answer.run(harness.context);
    expect(harness.questions[0]?.user).toContain('3: export const MUTE_SECONDS = 30;');
    expect(outcome.type === 'answered' ? outcome.text : '').toMatch(/Sources: lib\/flood\.js:[23]/);
  });

  test('reads what a search of the documents finds, and names its file and line', async () => {
    const text = [
      '[Page 2 of 9]',
      ...Array.from({ length: 40 }, (_, at) => `Clause ${at}.`),
      'Warranty lasts 36 months.',
    ];
    const documents = [
      { path: 'offer.pdf', fromLine: 90, toLine: 131, page: 2, title: 'Terms', text: text.join('\n') },
    ];
    const asked = { task: 'How many months does the warranty last?', documents, answer: () => '36 months.' };
    const harness = await harnessOf({ ...asked, files: { 'README.md': 'Papers.\n' } });
    const outcome = await answer.run(harness.context);
    expect(harness.questions[0]?.user).toContain('131: Warranty lasts 36 months.');
    expect(outcome.type === 'answered' ? outcome.text : '').toContain('Sources: offer.pdf:131');
  });

  test('keeps room for the knowledge of the project beside its code', async () => {
    const words = 'the warranty of a pump lasts so many months';
    const code = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => {
        const lines = Array.from({ length: 30 }, (__, line) => `  // ${words}: ${line}`).join('\n');
        return [`lib/part${at}.js`, `export function warranty${at}() {\n${lines}\n}\n`];
      }),
    );
    const part = { fromLine: 4, toLine: 4, page: 2, title: 'Terms' };
    const documents = [
      { ...part, path: 'knowledge/terms.pdf', text: 'Months of the warranty: 36.' },
      { ...part, path: 'knowledge/other.pdf', text: 'Nothing.' },
    ];
    const task = 'How many months does the warranty of a pump last?';
    const harness = await harnessOf({ task, documents, files: code, answer: () => '36 months.' });
    await answer.run(harness.context);
    const asked = harness.questions[0]?.user ?? '';
    expect(asked).toContain('4: Months of the warranty: 36.');
    expect(asked.indexOf('lib/part')).toBeLessThan(asked.indexOf('knowledge/terms.pdf'));
    const better = [{ ...part, path: 'knowledge/terms.pdf', text: 'Who wrote the handbook: Ada Fern.' }];
    const other = await harnessOf({
      task: 'Who wrote the handbook?',
      documents: better,
      files: code,
      answer: () => 'Ada.',
    });
    await answer.run(other.context);
    expect(other.questions[0]?.user).toContain('4: Who wrote the handbook: Ada Fern.');
  });

  test('shows of a function that is too long its best lines, and its name', async () => {
    const steps = Array.from(
      { length: 200 },
      (_, at) => `  await step(${at}, 'one of many steps', { of: 'a long way' });`,
    );
    steps[150] = '  retry({ pauseSeconds: 90 });';
    const long = `export async function deploy(target) {\n${steps.join('\n')}\n}\n`;
    const harness = await harnessOf({
      task: 'How long is the pause of a retry, in seconds?',
      files: { 'lib/deploy.js': long },
      answer: () => '90 seconds.',
    });
    const outcome = await answer.run(harness.context);
    expect(harness.questions[0]?.user).toContain('lib/deploy.js, in deploy\n');
    expect(harness.questions[0]?.user).toContain('152:   retry({ pauseSeconds: 90 });');
    expect(outcome.type === 'answered' ? outcome.text : '').toContain('Sources: lib/deploy.js:152');
  });

  test('reads in a large project also the files whose names of functions fit the question', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`lib/part${at}.js`, `export const part${at} = 'messages muted';\n`]),
    );
    const own = 'export function floodGate(n) {\n  return n > 8;\n}\n';
    const place = { path: 'lib/gate.js', line: 1, endLine: 3, container: null };
    const found = { ...place, name: 'floodGate', what: 'function', signature: 'floodGate(n)', score: 1 };
    const symbols = {
      find: () => Promise.resolve({ definitions: [], references: [], moreDefinitions: 0, hasMoreReferences: false }),
      rank: () => Promise.resolve([found]),
    };
    const asked = { task: 'When does flooding begin?', files: { ...many, 'lib/gate.js': own }, answer: () => 'At 9.' };
    const without = await harnessOf(asked);
    await answer.run(without.context);
    expect(without.questions[0]?.user).not.toContain('floodGate');
    const harness = await harnessOf({ ...asked, symbols });
    await answer.run(harness.context);
    expect(harness.questions[0]?.user).toContain('lib/gate.js\n1: export function floodGate(n) {');
  });

  test('says which cited lines do not exist, and shows none of them as a place', async () => {
    const said = '8 messages (lib/flood.js:9, lib/flood.js:99, rules.pdf:4).';
    const harness = await harnessOf({ task, answer: () => said });
    const outcome = await answer.run(harness.context);
    const text = outcome.type === 'answered' ? outcome.text : '';
    expect(text).toContain('8 messages (lib/flood.js, lib/flood.js, rules.pdf).');
    expect(text).toContain('(Not found as cited: lib/flood.js line 9, lib/flood.js line 99, rules.pdf line 4.)');
  });

  // Bug: "path:line 53" in an answer, copied from the prompt.
  test('shows a model a place that exists as the example of a citation', async () => {
    const harness = await harnessOf({ task, answer: () => '8.' });
    await answer.run(harness.context);
    expect(harness.questions[0]?.user).toMatch(/such as lib\/flood\.js:[23]\./u);
  });

  // Bug: a warranty that no document names, taken from the years that a seal lasts.
  test.each([
    ['How long is the warranty of the motor?', 'The warranty is two years.', '“warranty”'],
    ['How long does the seal last?', 'It lasts 3 years.', '“3”'],
    ['How long does the seal last?', 'The seal lasts 2 years (knowledge/pump.pdf:5).', null],
    ['How long is the warranty of the motor?', 'The documents do not say how long it is.', null],
  ])('says what the cited lines of a document do not have: %s %s', async (asked, said, missing) => {
    const part = { path: 'knowledge/pump.pdf', title: 'Pump' };
    const documents = [
      { ...part, fromLine: 1, toLine: 2, page: 1, text: 'Technical data\nThe motor takes 850 W.' },
      { ...part, fromLine: 4, toLine: 5, page: 2, text: 'Upkeep\nThe seal lasts two years.' },
    ];
    const files = { 'README.md': 'Papers.\n' };
    const harness = await harnessOf({ task: asked, documents, files, answer: () => said });
    const outcome = await answer.run(harness.context);
    const text = outcome.type === 'answered' ? outcome.text : '';
    const note = `(The cited lines do not say this: check it. Not in them: ${missing ?? ''}.)`;
    expect(text).toContain(said);
    expect(text.includes(note)).toBe(missing !== null);
    expect(text.includes('check it')).toBe(missing !== null);
  });

  test('makes a numbered plan with file names, and changes nothing', async () => {
    const harness = await harnessOf({
      task: 'Raise the flood limit to 10',
      mode: 'plan',
      answer: () => 'Change LIMIT in lib/flood.js',
    });
    const outcome = await answer.run(harness.context);
    expect(outcome).toMatchObject({ type: 'planned' });
    expect(outcome.type === 'planned' ? outcome.text : '').toMatch(/^1\. Change LIMIT[\s\S]*Files: .*lib\/flood\.js/);
    expect(await harness.text('lib/flood.js')).toBe(files['lib/flood.js']);
  });

  test('finds the subject of a follow-up in the conversation', async () => {
    const earlier = [{ asked: task, answered: 'More than LIMIT messages, muted for MUTE_SECONDS.' }];
    const harness = await harnessOf({ task: 'And why?', earlier, answer: () => 'Who writes too much is muted.' });
    expect(await answer.run(harness.context)).toMatchObject({ type: 'answered' });
    const [asked] = harness.questions;
    expect(asked?.user).toContain('lib/flood.js\n');
    expect(asked?.user).toMatch(/Asked: How many messages[\s\S]*Answered: More than LIMIT[\s\S]*Question: And why\?/);
    expect(asked?.carriesConversation).toBe(true);
  });

  test('prefers the words of the question to those of the conversation', async () => {
    const earlier = [{ asked: task, answered: 'More than LIMIT messages.' }];
    const harness = await harnessOf({ task: 'And who may join a room?', earlier, answer: () => 'Any member.' });
    await answer.run(harness.context);
    const user = harness.questions[0]?.user ?? '';
    expect(user.indexOf('lib/rooms.js')).toBeGreaterThan(0);
    expect(user.indexOf('lib/rooms.js')).toBeLessThan(user.indexOf('lib/flood.js'));
  });

  test('shows the README first when the question names no file', async () => {
    const readme = { 'README.md': '# Chat\n\nRooms with a flood guard.\n', ...files };
    const harness = await harnessOf({ files: readme, task: 'What is this project about?', answer: () => 'Rooms.' });
    await answer.run(harness.context);
    expect(harness.questions[0]?.user).toMatch(/^Parts of a project, with line numbers:\n\nREADME\.md\n1: # Chat/);
  });

  test('shows no file for a question about something else, or a greeting', async () => {
    const closure = await harnessOf({ task: 'What is a closure in JavaScript?', answer: () => 'A function.' });
    const outcome = await answer.run(closure.context);
    expect(outcome.type === 'answered' ? outcome.text : '').toContain(
      'General knowledge: no file in this project matched your question. Files outside it are not read.',
    );
    expect(closure.questions[0]?.user).toBe('What is a closure in JavaScript?');
    const chinese = await harnessOf({ task: '多少条消息算刷屏？', answer: () => '8 条。' });
    await answer.run(chinese.context);
    expect(chinese.questions[0]?.user).toContain('LIMIT = 8');
    const thanks = await harnessOf({ task: 'Thanks!', answer: () => 'You are welcome.' });
    expect(await answer.run(thanks.context)).toEqual({ type: 'answered', text: 'You are welcome.' });
  });

  test('shows only a part of a long conversation', async () => {
    const long = { asked: 'x'.repeat(9_000), answered: 'y'.repeat(9_000) };
    const harness = await harnessOf({ task: 'And why?', earlier: [long, long], answer: () => 'So.' });
    await answer.run(harness.context);
    expect(harness.questions[0]?.user.length).toBeLessThan(2_600);
  });

  test('takes questions and plans, but no work', async () => {
    const { context } = await harnessOf({ task });
    expect(answer.fits(context)?.score).toBeGreaterThan(0.9);
    expect(answer.fits({ ...context, task: 'Fix the flood guard.' })).toBeNull();
    expect(answer.fits({ ...context, task: 'Fix the flood guard.', mode: 'plan' })).not.toBeNull();
  });
});

const report = {
  'report.py':
    'import csv\nimport sys\n\n\ndef total(rows):\n    return sum(float(row["amount"]) for row in rows)\n\n\ndef main():\n    print(total(csv.DictReader(open(sys.argv[1]))))\n\n\nmain()\n',
  'sales.csv': 'region,amount\nnorth,\n',
};

describe('a crash that a task mentions', () => {
  test.each([
    ['Why does python report.py sales.csv crash?', 'python3 report.py sales.csv'],
    ['`node tools/a.mjs --all "b c"` throws an error', 'node tools/a.mjs --all "b c"'],
    ['How do I run python report.py?', null],
    ['Why does it crash?', null],
  ])('in %j is reproduced by: %s', (task, command) => {
    expect(crashingCommand(task)).toBe(command);
  });

  test('is shown by running the command in a copy, whatever the model says', async () => {
    const task = 'Why does python report.py sales.csv crash?';
    const harness = await harnessOf({ files: report, task, answer: () => 'The file is not closed.' });
    const outcome = await answer.run(harness.context);
    expect(outcome.type === 'answered' ? outcome.text : '').toMatch(
      /^`python3 report.py sales.csv` was run in a copy and ends with `ValueError: .*` at report\.py:6: `return sum/,
    );
    expect(harness.questions[0]?.user).toContain('ValueError: could not convert');
  });

  test('rejects a change after which it still happens', async () => {
    const with_ = (condition: string): string =>
      `\`\`\`python\ndef total(rows):\n    return sum(float(row["amount"]) for row in rows if ${condition})\n\`\`\``;
    const task = '`python3 report.py sales.csv` fails with an error, fix it';
    const still = await harnessOf({ files: report, task, answer: () => with_('row["region"]') });
    const gaveUp = await edit.run(still.context);
    expect(gaveUp.type === 'gave-up' ? gaveUp.reason : '').toContain('still ends with ValueError');
    expect(await still.text('report.py')).toBe(report['report.py']);
    const harness = await harnessOf({ files: report, task, answer: () => with_('row["amount"]') });
    const outcome = await edit.run(harness.context);
    expect(outcome.type === 'done' ? outcome.text : '').toContain('does not crash now');
  });

  test('leads to its place from a pasted traceback, also of another machine', async () => {
    const task =
      'Please fix this:\nTraceback (most recent call last):\n  File "/srv/app/report.py", line 13, in <module>\n  File "/srv/app/report.py", line 10, in main\n  File "/srv/app/report.py", line 6, in total\nValueError: bad';
    const harness = await harnessOf({ files: report, task, answer: () => null });
    await edit.run(harness.context);
    expect(harness.progress[0]).toMatch(/^locate: Places: total in report\.py, main in report\.py\b/);
  });
});

describe('the edit recipe', () => {
  const task = 'isFlood must also be true for exactly LIMIT messages';
  const changed = '```javascript\nexport function isFlood(count) {\n  return count >= LIMIT;\n}\n```';

  test('changes the named function, and says that nothing checked it', async () => {
    const harness = await harnessOf({ task, answer: (question) => (question.purpose === 'choose' ? '1' : changed) });
    expect(await edit.run(harness.context)).toMatchObject({ type: 'done', confidence: 'unchecked' });
    expect(await harness.text('lib/flood.js')).toBe(files['lib/flood.js'].replace('>', '>='));
  });

  test('takes the answer without a new error of a language server, if there is one', async () => {
    const wrong = changed.replace('LIMIT', 'LIMITS');
    const answers = (texts: readonly string[]): Promise<RecipeHarness> => {
      const left = [...texts];
      return harnessOf({
        task,
        answer: ({ purpose }) => (purpose === 'choose' ? '1' : (left.shift() ?? null)),
        newErrors: ([file]) => (file?.text.includes('LIMITS') === true ? 1 : 0),
      });
    };
    const harness = await answers([wrong, changed, wrong]);
    expect(await edit.run(harness.context)).toMatchObject({ text: expect.not.stringContaining('language server') });
    expect(await harness.text('lib/flood.js')).toContain('>= LIMIT;');
    const alone = await answers([wrong, wrong]);
    expect(await edit.run(alone.context)).toMatchObject({ text: expect.stringContaining('finds 1 new error') });
    expect(await alone.text('lib/flood.js')).toContain('>= LIMITS;');
  });

  test('finds an error message by its words, without a question', async () => {
    const rooms =
      'export class RoomError extends Error {\n  // The message of the error is for the member.\n  constructor(message) {\n    super(message);\n  }\n}\n\nexport function enter(room, rooms) {\n  if (!(room in rooms)) throw new RoomError(`unknown room: ${room}`);\n  return rooms[room];\n}\n';
    const better = rooms
      .slice(rooms.indexOf('export function'))
      .replace('${room}`', '${room} of ${Object.keys(rooms)}`');
    const harness = await harnessOf({
      task: 'Make the error message for an unknown room say which ones there are.',
      files: { ...files, 'lib/enter.js': rooms },
      answer: (question) => (question.purpose === 'choose' ? '2' : `\`\`\`javascript\n${better}\`\`\``),
    });
    expect(await edit.run(harness.context)).toMatchObject({ type: 'done' });
    expect(harness.questions.map(({ purpose }) => purpose)).not.toContain('choose');
    expect(await harness.text('lib/enter.js')).toContain('Object.keys(rooms)');
  });

  test('finds the place of a follow-up in the conversation', async () => {
    const earlier = [{ asked: 'How many messages are a flood?', answered: 'isFlood is true above LIMIT.' }];
    const harness = await harnessOf({
      task: 'Then make it one less',
      earlier,
      answer: (question) => (question.purpose === 'choose' ? '1' : changed),
    });
    expect(await edit.run(harness.context)).toMatchObject({ type: 'done' });
    expect(
      harness.questions.every(
        ({ user, carriesConversation }) => user.includes('isFlood is true') && carriesConversation,
      ),
    ).toBe(true);
  });

  test('answers a text without work, and changes nothing', async () => {
    const harness = await harnessOf({ task: 'Tabs or spaces', answer: () => 'Whichever the others use.' });
    const outcome = await edit.run(harness.context);
    expect(outcome.type === 'answered' ? outcome.text : '').toContain(
      'General knowledge: no file in this project matched',
    );
    expect(harness.questions[0]?.user).toBe('Tabs or spaces');
  });

  test('renames without a model what is defined once, also for "it" in a follow-up', async () => {
    const earlier = [{ asked: 'Add a LIMIT check as isFlood', answered: 'Changed isFlood in lib/flood.js.' }];
    const user = "import { isFlood } from './flood.js';\nexport const mute = (count) => isFlood(count);\n";
    const harness = await harnessOf({
      files: { ...files, 'lib/mute.js': user },
      task: 'Now rename it to isTooMuch',
      earlier: [{ asked: 'What does isFlood do?', answered: 'isFlood says whether it is too much.' }],
    });
    expect(await edit.run(harness.context)).toMatchObject({ type: 'done', confidence: 'unchecked' });
    expect(await harness.text('lib/mute.js')).toBe(user.replaceAll('isFlood', 'isTooMuch'));
    expect(harness.questions).toEqual([]);
    const unclear = await harnessOf({ task: 'Now rename it to isTooMuch', earlier });
    await edit.run(unclear.context);
    expect(unclear.questions).not.toEqual([]);
  });

  test('takes the change that most answers agree on', async () => {
    const other = changed.replace('>=', '!==');
    let calls = 0;
    const harness = await harnessOf({ task, answer: () => ((calls += 1) === 1 ? other : changed) });
    await edit.run(harness.context);
    expect(await harness.text('lib/flood.js')).toContain('count >= LIMIT');
  });

  const tool =
    'import argparse\n\n\ndef parser():\n    made = argparse.ArgumentParser()\n    made.add_argument("file")\n    return made\n\n\ndef size(text):\n    return len(text)\n\n\ndef main():\n    args = parser().parse_args()\n    print(size(args.file))\n';

  test('takes changes beside its place only if they belong to the task', async () => {
    const whole = tool
      .replace('    return made', '    made.add_argument("--chars", action="store_true")\n    return made')
      .replace('len(text)', 'len(str(text))')
      .replace('    print', '    if args.chars:\n        print(1)\n    print');
    const harness = await harnessOf({
      files: { 'tool.py': tool },
      task: 'Add an option --chars to main',
      answer: () => `\`\`\`python\n${whole}\n\`\`\``,
    });
    expect(await edit.run(harness.context)).toMatchObject({ type: 'done' });
    expect(await harness.text('tool.py')).toBe(whole.replace('len(str(text))', 'len(text)'));
    // The second answer agrees with the first, so there is no third.
    expect(harness.questions).toHaveLength(2);
  });

  test('adds annotations to each function, imports their names, and refuses other changes', async () => {
    const annotated: Readonly<Record<string, string>> = {
      first:
        'def first(items: List[str], count=1) -> List[str]:\n    """The first of them."""\n    return items[:count]',
      other: 'def other(items: list) -> int:\n    return len(items) + 1',
      last: 'def last(items: Items):\n    return items[-1]',
    };
    const plain =
      'def first(items, count=1):\n    return items[:count]\n\n\ndef other(items):\n    return len(items)\n\n\ndef last(items):\n    return items[-1]\n';
    const harness = await harnessOf({
      files: { 'ends.py': plain },
      task: 'Add type hints',
      answer: ({ label }) => `\`\`\`python\n${annotated[/^change (\w+)/.exec(label)?.[1] ?? ''] ?? ''}\n\`\`\``,
    });
    const outcome = await edit.run(harness.context);
    expect(outcome.type === 'done' ? outcome.text : '').toMatch(
      /^Changed 1 function in ends\.py[\s\S]*: other, last\.$/,
    );
    expect(await harness.text('ends.py')).toBe(
      plain.replace(/^def first.*\n.*$/m, `from typing import List\n\n\n${annotated.first}`),
    );
  });

  test('imports only the names that annotations need', async () => {
    const typed = 'def first(items: List[str]) -> str:\n    return items[0]';
    const harness = await harnessOf({
      files: { 'ends.py': 'import sys\n\n\ndef first(items):\n    return items[0]\n' },
      task: 'Add type hints to first',
      answer: () => `\`\`\`python\nfrom typing import *\n\n${typed}\n\`\`\``,
    });
    expect(await edit.run(harness.context)).toMatchObject({ type: 'done' });
    expect(await harness.text('ends.py')).toBe(`import sys\nfrom typing import List\n\n\n${typed}\n`);
  });

  test('gives up at a failing test that cannot be run', async () => {
    const harness = await harnessOf({ files: { 'main.go': 'package main\n' }, task: 'Fix the failing test' });
    const outcome = await edit.run(harness.context);
    expect(outcome.type === 'gave-up' ? outcome.reason : '').toContain('--check');
    expect(harness.questions).toEqual([]);
  });

  test('refuses a change that reads an undeclared option', async () => {
    const reads = 'def main():\n    args = parser().parse_args()\n    print(size(args.file), args.chars)';
    const harness = await harnessOf({
      files: { 'tool.py': tool },
      task: 'Add an option --chars to main',
      answer: () => `\`\`\`python\n${reads}\n\`\`\``,
    });
    expect(await edit.run(harness.context)).toMatchObject({ type: 'gave-up' });
    expect(await harness.text('tool.py')).toBe(tool);
  });

  test('adds new code without a given name, and changes no old code', async () => {
    const routes = 'from app import route\n\n\n@route("/items")\ndef list_items():\n    return []\n';
    const added = '@route("/items", "DELETE")\ndef remove_item():\n    return None';
    const harness = await harnessOf({
      files: { 'routes.py': routes },
      task: 'Add a DELETE /items route that removes an item',
      answer: () => `\`\`\`python\n@route("/items")\ndef list_items():\n    return [1]\n\n\n${added}\n\`\`\``,
    });
    expect(await edit.run(harness.context)).toMatchObject({ type: 'done' });
    expect(await harness.text('routes.py')).toBe(`${routes}\n\n${added}\n`);
  });

  test('puts new code into the named file, wherever its words occur', async () => {
    const added = 'def average(prices):\n    return sum(prices) / len(prices)';
    const prices = 'def prices_of(orders):\n    """The prices of orders, for an average."""\n    return orders\n';
    for (const maths of ['def total(values):\n    return sum(values)\n', '"""Sums."""\n']) {
      const harness = await harnessOf({
        files: { 'prices.py': prices, 'maths.py': maths },
        task: 'Add a function average(prices) of the prices to maths.py',
        answer: () => `\`\`\`python\n${added}\n\`\`\``,
      });
      expect(await edit.run(harness.context)).toMatchObject({ type: 'done' });
      expect(await harness.text('maths.py')).toBe(`${maths}\n\n${added}\n`);
      expect(await harness.text('prices.py')).toBe(prices);
    }
  });

  test('asks for the place when no word of the task is in a small project', async () => {
    const page = {
      'index.html': '<p>Fresh bread from 7 to 18.</p>\n',
      'main.js': 'const main = 1;\n',
      'style.css': 'h1 { color: green; }\n',
    };
    const harness = await harnessOf({
      files: page,
      task: 'Change the opening hours to 8 to 19',
      answer: ({ purpose }) => (purpose === 'choose' ? '1' : '<p>Fresh bread from 8 to 19.</p>'),
    });
    expect(await edit.run(harness.context)).toMatchObject({ type: 'done' });
    expect(await harness.text('index.html')).toBe('<p>Fresh bread from 8 to 19.</p>\n');
  });

  test('asks whether a change is meant in a language that it does not know', async () => {
    const harness = await harnessOf({
      task: 'Mach das kürzer',
      answer: ({ purpose }) => (purpose === 'choose' ? 'answer' : 'Gern.'),
    });
    expect(await edit.run(harness.context)).toMatchObject({ type: 'answered' });
    expect(harness.questions[0]?.output).toEqual({ type: 'choice', options: ['change', 'answer'] });
  });

  test('leaves the workspace unchanged when no answer can be used', async () => {
    const harness = await harnessOf({ task, answer: () => 'I would change the operator.' });
    expect(await edit.run(harness.context)).toMatchObject({ type: 'gave-up' });
    expect(await harness.text('lib/flood.js')).toBe(files['lib/flood.js']);
  });

  test('refuses a change that breaks a passing test', async () => {
    const test_ =
      "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { isFlood } from '../lib/flood.js';\ntest('8 is fine', () => assert.equal(isFlood(8), false));\n";
    const harness = await makeHarness({
      files: { ...files, 'package.json': '{ "type": "module" }\n', 'test/flood.test.js': test_ },
      task,
      command: 'node --test',
      checkPasses: true,
      answer: (question) => (question.purpose === 'choose' ? '1' : changed),
    });
    harnesses.push(harness);
    expect(await edit.run(harness.context)).toMatchObject({ type: 'gave-up' });
    expect(await harness.text('lib/flood.js')).toBe(files['lib/flood.js']);
  }, 60_000);
});
