import { describe, expect, it } from 'vitest';
import { asksForFact, asksInPlan, asksPerson } from '../../../../src/main/agent/loop/asks-person.ts';

const questions = [
  'Which database should I use?',
  'I found two configs.\n\nWhich one is meant, `a.toml` or `b.toml`?',
  'Which format do you want?\n\n1. CSV\n2. JSON\n3. XML',
  'There are two ways:\n- keep the table\n- drop it\n\nWhat do you prefer? I would keep it.',
  'Before I go on: may I delete the old migration?',
  'Should the export also contain the archived rows?',
  'The password is not in the project. Please provide it.',
  'Two services listen on that port. Let me know which one to stop.',
  'Please confirm that the data may be deleted.',
  '**Do you want the strict mode?**',
  'Welche Datenbank soll ich verwenden?',
  'Es gibt zwei Dateien. Bitte sag mir, welche gemeint ist.',
  'Quelle version faut-il utiliser ?',
  'Il y a deux fichiers. Dites-moi lequel modifier.',
  '¿Qué formato prefieres?',
  'Dime qué archivo debo cambiar.',
  'Quale formato preferisci?',
  'Qual banco de dados devo usar?',
  '应该使用哪个数据库？',
  '请告诉我要修改哪个文件。',
  'どちらの形式を使いますか。',
  'どのファイルですか？',
  'Какую базу данных использовать?',
  'Should it be `total` or `sum`?\n\n- `total`: as the API\n- `sum`: shorter\n\nThanks for your help.',
  'Should errors be logged or raised?\n\n- logged: it goes on\n- raised: it stops\n\nBoth are easy to do.',
  'What should it return for an empty list?\nA) None\nB) 0\n\nI would take None.',
  'Which of these do you want?\n\n| A | B |\n|---|---|\n| fast | small |',
  'Which of them do you want:\n\n1. the fast one\n2. the small one',
  'Should I delete the old files? I will wait for your answer.',
  'Do you want me to go on? It would drop two columns.',
  'Before I continue, I need to know whether the table may be dropped.',
  'Where is the schema? I cannot find it in the project.',
  'Welche Datei soll ich ändern?\n\n1. a.py\n2. b.py\n\nVielen Dank!',
  'Удалить старые файлы?',
  'أي قاعدة بيانات يجب أن أستخدم؟',
];

const answers = [
  'The network is up: PyPI answers in 80 ms. Anything else?',
  'Done. Is there something else I can do?',
  'Here is the poem.\n\nWould you like another?',
  'The server runs. Let me know if you need more.',
  'Is the cache the cause? I looked at it first.\n\nIt is not: the timeout is too short.',
  'The function returns `a ?? b`.',
  'It asks the user once:\n\n```js\nconfirm("Go on?")\n```',
  'Alles erledigt. Kann ich sonst noch helfen?',
  "C'est fait. Autre chose ?",
  'Listo. ¿Algo más?',
  'Fatto. Altro?',
  'Pronto. Mais alguma coisa?',
  '完成了。还有其他问题吗？',
  '完了しました。他に何かありますか？',
  'Готово. Что-нибудь ещё?',
  'Why did it fail? Because the index was one too far. I corrected it.',
  'Is it async? Yes, since the last release.',
  'It asks "Continue? (y/n)" before it deletes.',
  '> Should I use tabs?\n\nYes: the project uses tabs.',
  'Done. Please let me know if you would like any changes.',
  'The file is updated. Let me know what you think.',
  'I changed the color to blue. How does it look?',
  'I wrote the FAQ:\n\n- What is it?\n- How much does it cost?\n\nBoth have an answer of one line.',
  'Alles erledigt. Passt das so?',
  'I could not find the file.',
  '',
];

describe('the function asksPerson', () => {
  // Bug: a question in plain words counted as finished work, and a program went on in its place.
  it.each(questions)('is true for a question: %s', (text) => {
    expect(asksPerson(text)).toBe(true);
  });

  it.each(answers)('is false for an answer, even with an offer at its end: %s', (text) => {
    expect(asksPerson(text)).toBe(false);
  });
});

describe('the function asksForFact', () => {
  it.each([
    'The port is set. Which host is meant?',
    'Done with the port. Welcher Host ist gemeint?',
    '端口已设置。用哪个主机？',
  ])('is true for a question in the middle of the work: %s', (text) => {
    expect(asksForFact(text)).toBe(true);
  });

  it.each([
    'The port is set.',
    'All done. Do you want me to explain what changed?',
    'All done. Shall I also add a test?',
    'It is done. Anything else?',
    'Is that right?',
  ])('is false for an offer or without a question: %s', (text) => {
    expect(asksForFact(text)).toBe(false);
  });
});

describe('the function asksInPlan', () => {
  it.each([
    '1. Read.\n2. Write.\n\nWhich format do you want?',
    '1. Read.\n2. Write.\n\nShould the export also contain the archived rows?',
  ])('is true for a question that the plan depends on: %s', (text) => {
    expect(asksInPlan(text)).toBe(true);
  });

  it.each([
    '1. Read.\n2. Write.\n\nShall I start?',
    '1. Read.\n2. Write.\n\nDoes this plan look good?',
    '1. Read.\n2. Soll ich loslegen?',
    '1. Read.\n2. Write.',
  ])('is false when it only asks for permission: %s', (text) => {
    expect(asksInPlan(text)).toBe(false);
  });
});
