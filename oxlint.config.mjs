// The rules of the code. The import directions of AGENTS.md are the table below; tests/lint/import-directions.test.ts proves
// that each of them is reported.

const starters = ['child_process', 'worker_threads', 'cluster'].flatMap((name) => [name, `node:${name}`]);
const programMessage =
  'Programs are started by lib/programs/start-program.ts alone; use lib/programs/host-programs.ts.';
const noElectron = { name: 'electron', message: 'Only src/main/hosts/desktop and src/main/index.ts import electron.' };

/** The parts of a subject know each other's types only; compose hands them values. */
const subjects = [
  'models',
  'money',
  'projects',
  'recipes',
  'routing',
  'safety',
  'sandbox',
  'sessions',
  'settings',
  'tools',
];
const deepest = 5;

const noHost = {
  group: ['**/compose.ts', '**/compose-models.ts', '**/hosts/**', '**/server/**'],
  message: 'Nothing below compose knows the server or a host.',
};
const noDesktop = {
  group: ['**/hosts/desktop/**', '**/desktop/*.ts'],
  message: 'Only the desktop host and index.ts know Electron.',
};

function imports(files, { paths = [], patterns = [] }) {
  return { files, rules: { 'no-restricted-imports': ['error', { paths, patterns }] } };
}

/** What no file of the main process imports; the type of a process is no means to start one. */
function mainPaths({ but = [], electron = [noElectron] } = {}) {
  const programs = starters
    .filter((name) => !but.includes(name))
    .map((name) => ({ name, message: programMessage, allowTypeImports: true }));
  return [...electron, ...programs];
}

/** `levels` times the same rule, for files so many folders below the one that `base` names. */
function atEachDepth(base, levels, rule) {
  return Array.from({ length: levels }, (_, depth) =>
    rule(
      base.map((path) => `${path}/${'*/'.repeat(depth)}*.{ts,tsx}`),
      depth,
    ),
  );
}

const subjectRules = atEachDepth(
  subjects.map((name) => `src/main/${name}`),
  deepest,
  (files, depth) => {
    const up = '../'.repeat(depth + 1);
    const siblings = {
      group: [`${up}*/**`, `!${up}lib/**`],
      allowTypeImports: true,
      message: 'Values of another subject are handed in by compose; only its types may be imported.',
    };
    return imports(files, { paths: mainPaths(), patterns: [siblings, noHost] });
  },
);

const libRules = atEachDepth(['src/main/lib'], 3, (files, depth) =>
  imports(files, {
    paths: mainPaths(),
    patterns: [
      { regex: `^(${'\\.\\./'.repeat(depth + 1)}|@shared/)`, allowTypeImports: true, message: 'lib knows only Node.' },
      noDesktop,
    ],
  }),
);

/** The page takes reducers and pure functions from shared, and no schema: so zod stays out of its bundle. */
const pageMayUse = ['text/seen-text.ts'];

const featureRules = atEachDepth(['src/renderer/features/*'], 2, (files, depth) => {
  const up = '../'.repeat(depth + 1);
  const others = {
    group: [`${up}[a-z]*/**`, `!${up}../lib/**`, `!${up}../ui/**`],
    message: 'A feature imports no other feature.',
  };
  return imports(files, { paths: [noElectron], patterns: [...pagePatterns(), others] });
});

function pagePatterns() {
  return [
    { group: ['node:*', '**/main/**'], message: 'The page has no Node and no main process.' },
    {
      regex: `^@shared/(?!(?:${pageMayUse.map((path) => path.replaceAll('.', '\\.')).join('|')})$)`,
      allowTypeImports: true,
      message: 'The page takes types and reducers from shared, so that zod stays out of the bundle.',
    },
  ];
}
