import { describe, expect, it } from 'vitest';
import { findCitations, namesElsewhere } from '../../../../src/main/recipes/answer/citations.ts';
import { wordsNotCited } from '../../../../src/main/recipes/answer/cited-support.ts';

const text = [
  'import datetime',
  '',
  'WEEK_DAYS = 7',
  '',
  'def parse_week(text):',
  '    year, week = text.split("-")',
  '    return int(year), int(week)',
  '',
  'def first_day(text):',
  '    year, week = parse_week(text)',
  '    return datetime.date.fromisocalendar(year, week, 1)',
].join('\n');
const shown = [{ path: 'src/app.py', startLine: 1, text }];
const rightOf = (answer: string) => namesElsewhere(answer, shown).map(({ name, line, right }) => [name, line, right]);

describe('a place in the prose of an answer', () => {
  it.each([
    'It is on line 5 of src/app.py.',
    'See line 5 in `src/app.py`.',
    'Das steht in Zeile 5 der Datei src/app.py.',
    'Voir la ligne 5 de src/app.py.',
    'Está en la línea 5 de src/app.py.',
    'Смотри строку 5 в src/app.py.',
    '见第 5 行 src/app.py。',
  ])('is found in %s', (answer) => {
    expect(findCitations(answer, ['src/app.py'])).toContainEqual({ path: 'src/app.py', line: 5 });
  });

  it('is none where a number only stands near', () => {
    expect(findCitations('It returns 5 in src/app.py.', ['src/app.py'])).toEqual([{ path: 'src/app.py', line: null }]);
  });

  it.each([
    ['`parse_week` is on line 2 of src/app.py.', ['parse_week', 2, 5]],
    ['first_day() stands at src/app.py:3.', ['first_day', 3, 9]],
    ['Die Funktion `first_day` steht in Zeile 6 der Datei src/app.py.', ['first_day', 6, 9]],
    ['`WEEK_DAYS` est défini à la ligne 11 de src/app.py.', ['WEEK_DAYS', 11, 3]],
  ])('that does not have the name is told with the right one: %s', (answer, right) => {
    expect(rightOf(answer)).toEqual([right]);
  });

  it.each([
    ['the line itself', '`parse_week` is on line 5 of src/app.py.'],
    ['a line inside the function', 'In `first_day`, src/app.py:11 makes the date.'],
    ['a call of it', '`parse_week` is called at src/app.py:10.'],
    ['a line beside it', '`WEEK_DAYS` is at src/app.py:4.'],
    ['a name that was not shown', '`missing_name` is on line 5 of src/app.py.'],
    ['a line that was not shown', '`parse_week` is on line 50 of src/app.py.'],
    ['two places', '`parse_week` is at src/app.py:5 and `first_day` at src/app.py:9.'],
    ['no name', 'The week is split on line 6 of src/app.py.'],
  ])('is right for %s', (_, answer) => {
    expect(rightOf(answer)).toEqual([]);
  });
});

describe('an answer from a document', () => {
  const manual = 'The pump must be serviced every two years. The filter is to be changed by the owner of the house.';
  const doubted = (task: string, answer: string, words = manual) => {
    const part = { path: 'manual.md', name: '', text: words };
    return wordsNotCited({ task, answer, cited: [part], shown: [part] });
  };

  it.each([
    ['Wie oft muss die Wärmepumpe gewartet werden?', 'Alle zwei Jahre.'],
    ['¿Cuándo hay que revisar la bomba, y quién debe cambiar el filtro?', 'Cada dos años.'],
    ['À quelle fréquence faut-il entretenir la chaudière, et qui doit le faire ?', 'Tous les deux ans.'],
    ['Как часто нужно обслуживать насос?', 'Каждые два года.'],
  ])('is not doubted for its words where the question has another language: %s', (task, answer) => {
    expect(doubted(task, answer)).toEqual([]);
  });

  it('is doubted for a number in any language', () => {
    expect(doubted('Wie oft muss die Wärmepumpe gewartet werden?', 'Alle 5 Jahre.')).toEqual(['5']);
  });

  it('is doubted for its subject in the language of the document', () => {
    expect(doubted('What does the warranty of the battery cover?', 'All parts.')).not.toEqual([]);
    expect(
      doubted(
        'Was deckt die Garantie der Batterie ab?',
        'Alle Teile.',
        'Der Filter ist von dem Eigentümer zu wechseln.',
      ),
    ).not.toEqual([]);
  });
});
