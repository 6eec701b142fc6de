import { describe, expect, it } from 'vitest';
import { definedName, linesOfDefinition } from '../../../../src/main/sessions/attachments/find-definitions.ts';

describe('the search for a definition in a line', () => {
  // Catches: a language whose definitions are not found.
  it.each([
    ['def parse_day(text):', 'parse_day'],
    ['    async def parse_day(', 'parse_day'],
    ['class DayParser(Base):', 'DayParser'],
    ['export async function parseDay(text: string) {', 'parseDay'],
    ['export default function* days() {', 'days'],
    ['export abstract class Day {', 'Day'],
    ['const parseDay = async (text: string): Promise<Day> => {', 'parseDay'],
    ['export const toDay = (', 'toDay'],
    ['  const toDay: Reader = text => text;', 'toDay'],
    ['  private async readDay(text = "a"): Promise<Day> {', 'readDay'],
    ['  nextDay() {', 'nextDay'],
    ['func (c *Calendar) NextDay(n int) (Day, error) {', 'NextDay'],
    ['type Day struct {', 'Day'],
    ['pub(crate) async fn parse_day<T>(text: &str) -> Day {', 'parse_day'],
    ['public static final class DayBook {', 'DayBook'],
    ['    public Map<String, Day> findDay(String text) throws Missing {', 'findDay'],
    ['    public override Day FindDay(string text)', 'FindDay'],
    ['  def self.parse_day(text)', 'parse_day'],
    ['module DayBook', 'DayBook'],
    ['    public static function findDay(string $text): Day', 'findDay'],
    ['static char *next_day(const char *text) {', 'next_day'],
    ['std::string Calendar::nextDay(int n) const {', 'nextDay'],
    ['namespace days {', 'days'],
  ])('%s', (line, name) => {
    expect(definedName(line, 'day')).toBe(name);
  });

  // Catches: uses that are offered as definitions.
  it.each([
    'parse_day(text)',
    'return parse_day(text)',
    'x = parse_day(text)',
    'const day = parseDay(text);',
    'const day = (a + b) * 2;',
    "  onDay('x', () => {",
    "  onDay('x', function () {",
    '  } else if (isDay(text)) {',
    '  if (isDay(text)) {',
    '    Day day = new Day(text) {',
    '# def parse_day(text):',
    '// function parseDay() {',
    'from dates import parse_day',
  ])('finds none in: %s', (line) => {
    expect(definedName(line, 'day')).toBeNull();
  });

  it('finds none in a word that begins a statement', () => {
    expect(definedName('  switch (value) {', 'switch')).toBeNull();
    expect(definedName('  while (isOpen) {', 'wh')).toBeNull();
  });
});

describe('the lines of a definition', () => {
  const linesOf = (text: string, from: number) => {
    const { to } = linesOfDefinition(text.split('\n'), from);
    return [from, to];
  };

  // Catches: a definition that is cut at a blank line, after its parameters or before its closing bracket.
  it('go as far as the indentation, with the closing bracket', () => {
    const python = 'def a(\n    x,\n) -> int:\n    y = x\n\n    return y\n\n\ndef b():\n    pass\n';
    expect([linesOf(python, 1), linesOf(python, 9)]).toEqual([
      [1, 6],
      [9, 10],
    ]);
    const script = 'class A {\n  b() {\n    return 1;\n  }\n\n  c() {}\n}\nconst d = 1;\n';
    expect([linesOf(script, 1), linesOf(script, 2), linesOf(script, 6), linesOf(script, 8)]).toEqual([
      [1, 7],
      [2, 4],
      [6, 6],
      [8, 8],
    ]);
    expect(linesOf('def a\n  b\nend\n\ndef c\nend\n', 1)).toEqual([1, 3]);
    expect(linesOf('public void A(int x)\n{\n    B();\n}\nC();\n', 1)).toEqual([1, 4]);
  });

  it('are only the first line if the file was not read, and never thousands', () => {
    expect(linesOfDefinition([], 7)).toEqual({ from: 7, to: 7 });
    expect(linesOfDefinition(['class A:', ...Array<string>(5000).fill('    x = 1')], 1).to).toBe(400);
  });
});
