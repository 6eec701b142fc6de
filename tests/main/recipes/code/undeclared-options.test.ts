import { expect, test } from 'vitest';
import { undeclaredOptions } from '../../../../src/main/recipes/code/undeclared-options.ts';

const program = (declared: string, read: string): string =>
  `def main():\n    parser = argparse.ArgumentParser()\n    ${declared}\n    args = parser.parse_args()\n    ${read}\n`;

test.each([
  ['parser.add_argument("file")', 'print(args.file)', []],
  ['parser.add_argument("-c", "--only-chars", action="store_true")', 'print(args.only_chars)', []],
  ['parser.add_argument("-c", dest="chars", type=int, default=int("3"))', 'print(args.chars == 1)', []],
  ['parser.add_argument("-l")', 'print(args.l, args.chars)', ['chars']],
  // The option gets its value here, or is declared in a place that is not searched.
  ['parser.add_argument("file")', 'args.seen = 1', []],
  ['add_all(parser)', 'print(args.chars)', []],
  ['parser.set_defaults(chars=1); parser.add_argument("file")', 'print(args.chars)', []],
])('the undeclared options of %s with %s are %j', (declared, read, names) => {
  expect(undeclaredOptions(program(declared, read))).toEqual(names);
});
