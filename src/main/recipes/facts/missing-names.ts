import type { TestFailure } from '../../lib/test-output/test-report.ts';

/** Something that a test uses and the project does not define. */
export interface MissingName {
  readonly name: string;
  /** The module as written in the message, or its file (`calc`, `./calc.js`, `/workspace/calc.py`); null if unknown. */
  readonly module: string | null;
  /** The class that lacks an attribute. */
  readonly className: string | null;
  /** The object it was called on, for "x.name is not a function". */
  readonly receiver: string | null;
  readonly kind: 'export' | 'attribute' | 'name' | 'parameter' | 'module';
}

interface Pattern {
  readonly pattern: RegExp;
  readonly read: (match: RegExpExecArray) => Partial<MissingName> & Pick<MissingName, 'name' | 'kind'>;
}

const patterns: readonly Pattern[] = [
  {
    pattern: /cannot import name '(\w+)' from '([\w.]+)'(?: \(([^)]+)\))?/,
    read: (m) => ({ kind: 'export', name: m[1] ?? '', module: m[3] ?? m[2] ?? null }),
  },
  {
    pattern: /requested module '([^']+)' does not provide an export named '(\w+)'/,
    read: (m) => ({ kind: 'export', name: m[2] ?? '', module: m[1] ?? null }),
  },
  {
    pattern: /module '([\w.]+)' has no attribute '(\w+)'/,
    read: (m) => ({ kind: 'export', name: m[2] ?? '', module: m[1] ?? null }),
  },
  {
    pattern: /type object '(\w+)' has no attribute '(\w+)'/,
    read: (m) => ({ kind: 'attribute', name: m[2] ?? '', className: m[1] ?? null }),
  },
  {
    pattern: /'(\w+)' object has no attribute '(\w+)'/,
    read: (m) => ({ kind: 'attribute', name: m[2] ?? '', className: m[1] ?? null }),
  },
  {
    pattern: /(?<![\w.$])([\w.$]+)\.(\w+) is not a (?:function|constructor)/,
    read: (m) => ({ kind: 'attribute', name: m[2] ?? '', receiver: m[1] ?? null }),
  },
  { pattern: /\b(\w+) is not a (?:function|constructor)/, read: (m) => ({ kind: 'export', name: m[1] ?? '' }) },
  {
    pattern: /name '(\w+)' is not defined|(?<!\w)(\w+) is not defined/,
    read: (m) => ({ kind: 'name', name: m[1] ?? m[2] ?? '' }),
  },
  {
    pattern: /(?<!\w)(?:(\w+)\.)?(\w+)\(\) got an unexpected keyword argument '(\w+)'/,
    read: (m) => ({ kind: 'parameter', name: m[2] ?? '', className: m[1] ?? null }),
  },
  {
    pattern: /(?<!\w)(?:(\w+)\.)?(\w+)\(\) takes (?:from )?\d+.{0,40} positional arguments? but \d+ (?:was|were) given/,
    read: (m) => ({ kind: 'parameter', name: m[2] ?? '', className: m[1] ?? null }),
  },
  {
    pattern: /No module named '([\w.]+)'|Cannot find module '([^']+)'/,
    read: (m) => ({ kind: 'module', name: m[1] ?? m[2] ?? '', module: m[1] ?? m[2] ?? null }),
  },
];

/** What is missing according to the messages of the failures; each name once. */
export function findMissingNames(failures: readonly TestFailure[]): readonly MissingName[] {
  const found = new Map<string, MissingName>();
  for (const failure of failures) {
    for (const { pattern, read } of patterns) {
      const match = pattern.exec(failure.message);
      if (match === null) continue;
      const missing = { module: null, className: null, receiver: null, ...read(match) };
      if (!found.has(missing.name)) found.set(missing.name, missing);
      break;
    }
  }
  return [...found.values()];
}
