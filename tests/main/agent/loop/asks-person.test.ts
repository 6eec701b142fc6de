import { describe, expect, it } from 'vitest';
import { asksForFact, asksPerson } from '../../../../src/main/agent/loop/asks-person.ts';

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
  'I could not find the file.',
  '',
];

describe('asksPerson', () => {
  // Bug: a question in plain words counted as finished work, and a program went on in its place.
  it.each(questions)('is true for a question: %s', (text) => {
    expect(asksPerson(text)).toBe(true);
  });

  it.each(answers)('is false for an answer, also with an offer at its end: %s', (text) => {
    expect(asksPerson(text)).toBe(false);
  });
});

describe('asksForFact', () => {
  it.each([
    'The port is set. Which host is meant?',
    'Done with the port. Welcher Host ist gemeint?',
    '端口已设置。用哪个主机？',
  ])('is true for a question after half of the work: %s', (text) => {
    expect(asksForFact(text)).toBe(true);
  });

  it.each([
    'The port is set.',
    'All done. Do you want me to explain what changed?',
    'All done. Shall I also add a test?',
    'It is done. Anything else?',
    'Is that right?',
  ])('is false for an offer, and where nothing is asked: %s', (text) => {
    expect(asksForFact(text)).toBe(false);
  });
});
