/**
 * Command line options that a Python text reads (`args.chars`) but declares nowhere, so that it fails there. Small
 * models often write one without the other. Empty if the options are declared elsewhere.
 */
export function undeclaredOptions(text: string): readonly string[] {
  const declarations = [...text.matchAll(/\.add_argument\(([^()]*(?:\([^()]*\)[^()]*)*)\)/g)].map(
    ([, given = '']) => given,
  );
  if (declarations.length === 0 || /\bset_defaults\(|\bsetattr\(|\bparents=|\.add_subparsers\(/.test(text)) return [];
  const declared = new Set(declarations.map(destination));
  const holders = [...text.matchAll(/^[ \t]*(\w+)(?:, *\w+)?(?:: *[\w.]+)? *=.*\bparse(?:_known)?_args\(/gm)].map(
    ([, name = '']) => name,
  );
  return holders.flatMap((holder) =>
    [...text.matchAll(new RegExp(`(?<![\\w.])${holder}\\.(\\w+)(?!\\w|\\s*(?:\\(|=[^=]))`, 'g'))].flatMap(
      ([, name = '']) => (declared.has(name) || name.startsWith('_') ? [] : [name]),
    ),
  );
}

/** The attribute where argparse stores the value: `dest`, otherwise the first long option, otherwise the first name. */
function destination(given: string): string {
  const dest = /\bdest\s*=\s*['"](\w+)['"]/.exec(given)?.[1];
  const names = [...(/^\s*((?:['"][^'"]*['"]\s*(?:,\s*)?)+)/.exec(given)?.[1] ?? '').matchAll(/['"]([^'"]*)['"]/g)].map(
    ([, name = '']) => name,
  );
  const name = dest ?? names.find((one) => one.startsWith('--')) ?? names[0] ?? '';
  return name.replace(/^-+/, '').replaceAll('-', '_');
}
