// The rules of the code. The import directions of AGENTS.md are the table below; tests/lint/import-directions.test.ts proves
// that each of them is reported.

const starters = ['child_process', 'worker_threads', 'cluster'].flatMap((name) => [name, `node:${name}`]);
const programMessage =
  'Programs are started by lib/programs/start-program.ts alone; use lib/programs/host-programs.ts.';
const noElectron = { name: 'electron', message: 'Only src/main/hosts/desktop and src/main/index.ts import electron.' };

/** The parts of a subject know each other's types only; compose hands them values. */
const subjects = [
  'documents',
  'git',
  'language-servers',
  'memory',
  'models',
  'money',
  'projects',
  'recipes',
  'routing',
  'safety',
  'sandbox',
  'sessions',
  'settings',
  'skills',
  'symbols',
  'tools',
];
const deepest = 5;

const noHost = {
  allowTypeImports: true,
  group: [
    '**/compose.ts',
    '**/compose-calibrations.ts',
    '**/compose-endpoint.ts',
    '**/compose-folders.ts',
    '**/compose-models.ts',
    '**/compose-project.ts',
    '**/compose-skills.ts',
    '**/compose-tools.ts',
    '**/compose-web.ts',
    '**/hosts/**',
    '**/server/**',
  ],
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
      group: [`${up}*/**`, `!${up}lib/**`, `!${up}../../resources/**`],
      allowTypeImports: true,
      message: 'Values of another subject are handed in by compose; only its types may be imported.',
    };
    // The agent is made of the subjects. What they have to know of each other stands in the subject.
    const noAgent = { group: [`${up}agent/**`], message: 'A subject knows nothing of the agent, not even a type.' };
    return imports(files, { paths: mainPaths(), patterns: [siblings, noAgent, noHost] });
  },
);

/** What answers a command of the contract, and what opens sessions: above the subjects and the agent. */
const commandLayer = [
  `src/main/{${subjects.join(',')}}/**/commands.ts`,
  'src/main/models/{available-models,probe-model}.ts',
  'src/main/money/home-money.ts',
  'src/main/projects/configure-project.ts',
  'src/main/safety/rules/**',
  'src/main/home/**',
  // Answers a command in a process of its own.
  'src/main/git/process/do-job.ts',
  // Calls of other programs go by the agent's door to a model.
  'src/main/endpoint/**',
  'src/main/sessions/{open,calibrations,children,comparisons,history,library,attachments}/**',
];

/** What lib must not reach: the rest of main and src. The folder `resources` lies above all of them. */
const aboveLib = (depth) => `^(\\.\\./){${depth + 1},${depth + 2}}[^.]`;

/** Of shared, lib takes how text is shown and what an expected error is. */
const libPatterns = (depth) => [
  { regex: aboveLib(depth), allowTypeImports: true, message: 'lib knows only Node.' },
  {
    group: ['@shared/**', '!@shared/text/seen-text.ts', '!@shared/errors.ts'],
    allowTypeImports: true,
    message: 'lib knows only Node.',
  },
];

const libRules = atEachDepth(['src/main/lib'], 3, (files, depth) =>
  imports(files, {
    paths: mainPaths(),
    patterns: [...libPatterns(depth), noDesktop],
  }),
);

/** The page takes reducers and pure functions from shared, and no schema: so zod stays out of its bundle. */
const pageMayUse = [
  'attachments/attachment-text.ts',
  'attachments/file-mentions.ts',
  'attachments/rank-file-names.ts',
  'calibration/calibration-report.ts',
  'calibration/calibration-text.ts',
  'comparisons/asked-again.ts',
  'comparisons/comparison-report.ts',
  'comparisons/comparison-table.ts',
  'comparisons/eval-tasks.ts',
  'comparisons/pair-verdicts.ts',
  'comparisons/way-name.ts',
  'documents/knowledge.ts',
  'git/clone-folder-name.ts',
  'models/download-time-left.ts',
  'models/known-providers.ts',
  'models/prompt-room.ts',
  'models/strain-lists.ts',
  'money/counterfactual.ts',
  'money/currency.ts',
  'money/lost-calls.ts',
  'money/price-changes.ts',
  'money/turn-counterfactual.ts',
  'money/spending-limit.ts',
  'money/turn-money.ts',
  'money/limit-raise.ts',
  'money/money-text.ts',
  'money/session-money.ts',
  'money/workload.ts',
  'projects/memory-line.ts',
  'projects/project-keys.ts',
  'projects/project-list.ts',
  'routing/routing-profiles.ts',
  'routing/work-kinds.ts',
  'rules/rule-verdicts.ts',
  'sandbox/call-file.ts',
  'safety/approval-scopes.ts',
  'safety/auto-run-files.ts',
  'safety/removed-key.ts',
  'session/assistants.ts',
  'session/file-change-state.ts',
  'session/plan-steps.ts',
  'session/prompt-templates.ts',
  'session/reducers/reduce-session.ts',
  'session/last-chosen.ts',
  'session/session-filter.ts',
  'session/session-news.ts',
  'session/session-part.ts',
  'session/restore-state.ts',
  'session/session-state.ts',
  'session/session-tags.ts',
  'session/slash-commands.ts',
  'session/step-speeds.ts',
  'session/waiting-turn.ts',
  'settings/known-editors.ts',
  'tools/person-question.ts',
  'tools/program-writer.ts',
  'text/costly-markdown.ts',
  'text/csv-text.ts',
  'text/duration-text.ts',
  'text/file-name-of.ts',
  'text/json-in.ts',
  'text/equal-line-ends.ts',
  'text/mark-math.ts',
  'text/missing-program.ts',
  'text/passed-tests.ts',
  'text/seen-text.ts',
  'text/size-text.ts',
  'text/task-mode.ts',
  'tools/canvas.ts',
  'tools/found-offers.ts',
  'tools/preset-values.ts',
  'tools/program-tool.ts',
  'unknown-value.ts',
];

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
      group: ['@shared/**', ...pageMayUse.map((path) => `!@shared/${path}`)],
      allowTypeImports: true,
      message: 'The page takes types and reducers from shared, so that zod stays out of the bundle.',
    },
  ];
}

export default {
  plugins: ['typescript', 'import', 'oxc', 'unicorn', 'react', 'jsx-a11y', 'promise'],
  categories: {
    correctness: 'error',
    suspicious: 'off',
  },
  options: {
    typeAware: true,
  },
  env: {
    builtin: true,
    node: true,
  },
  ignorePatterns: ['out/**', 'out-shell/**', 'bench/tasks/**', 'bench/results/**', 'examples/**', 'node_modules/**'],
  rules: {
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/switch-exhaustiveness-check': [
      'error',
      {
        considerDefaultExhaustiveForUnions: true,
      },
    ],
    'oxc/no-barrel-file': [
      'error',
      {
        threshold: 0,
      },
    ],
    'import/no-cycle': [
      'error',
      {
        ignoreTypes: false,
      },
    ],
    'no-empty': [
      'error',
      {
        allowEmptyCatch: false,
      },
    ],
    'no-var': 'error',
    'prefer-const': 'error',
    eqeqeq: 'error',
    'max-lines': [
      'error',
      {
        max: 450,
        skipBlankLines: false,
        skipComments: false,
      },
    ],
    'max-lines-per-function': [
      'error',
      {
        max: 75,
        skipBlankLines: true,
        skipComments: true,
      },
    ],
    'max-params': [
      'error',
      {
        max: 4,
      },
    ],
    'no-console': 'error',
    // The compiler says it, and knows that a file asked for as `?raw` is a text.
    'import/default': 'off',
  },
  overrides: [
    imports(['src/shared/**'], {
      paths: mainPaths(),
      patterns: [
        {
          group: ['*', '!zod', '!@orpc/contract', '!./**', '!@shared/**'],
          message: 'shared is pure: zod and @orpc/contract only.',
        },
        { group: ['node:*'], message: 'shared is pure.' },
      ],
    }),
    ...libRules,
    imports(['src/main/lib/programs/start-program.ts'], {
      paths: mainPaths({ but: ['node:child_process'] }),
      patterns: libPatterns(1),
    }),
    // A thread of a fixed text, which starts nothing.
    imports(['src/main/lib/programs/end-with-parent.ts'], {
      paths: mainPaths({ but: ['node:worker_threads'] }),
      patterns: libPatterns(1),
    }),
    imports(['src/main/index.ts', 'src/main/hosts/desktop/**'], {
      paths: mainPaths({ electron: [{ name: 'electron', importNames: ['utilityProcess'], message: programMessage }] }),
    }),
    ...subjectRules,
    // Above the subjects: it takes values of them.
    imports(['src/main/agent/**'], { paths: mainPaths(), patterns: [noHost] }),
    // What a host calls is made of several subjects.
    imports(commandLayer, { paths: mainPaths(), patterns: [noHost] }),
    imports(['src/main/compose*.ts', 'src/main/server/**', 'src/main/hosts/cli/**', 'src/main/hosts/*.ts'], {
      paths: mainPaths(),
      patterns: [noDesktop],
    }),
    imports(['src/main/hosts/{acp,api,web,connection,text}/**'], {
      paths: mainPaths(),
      patterns: [noDesktop, { group: ['**/cli/**'], message: 'What terminal and editor share is in hosts/text.' }],
    }),
    imports(['src/preload/**'], {
      patterns: [
        { regex: '^(@shared/|\\.\\./)', allowTypeImports: true, message: 'The preload takes types from shared only.' },
      ],
    }),
    imports(['src/renderer/**'], { paths: [noElectron], patterns: pagePatterns() }),
    ...featureRules,
    {
      files: ['tests/**', 'bench/**', 'scripts/**'],
      rules: {
        'max-lines-per-function': 'off',
        'no-console': 'off',
        'max-lines': ['error', { max: 600 }],
        // `require` gives functions of Node's modules, which need no `this`.
        'typescript/unbound-method': 'off',
      },
    },
    { files: ['scripts/**'], rules: { 'max-lines': ['error', { max: 450 }] } },
    // What runs in a sandbox, in a test run or in a locked frame is one file each, and prints as it likes.
    {
      files: ['resources/programs/**'],
      rules: {
        'max-lines-per-function': 'off',
        'no-console': 'off',
        'max-lines': ['error', { max: 600 }],
        // `require` gives functions of Node's modules, which need no `this`.
        'typescript/unbound-method': 'off',
      },
    },
  ],
};
