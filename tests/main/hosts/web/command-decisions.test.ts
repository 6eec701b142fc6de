import { isContractProcedure } from '@orpc/contract';
import { expect, it } from 'vitest';
import { contract } from '@shared/contract/contract.ts';
import { hostCommands } from '../../../../src/main/server/commands.ts';
import { refusedCommands, webGrants } from '../../../../src/main/hosts/web/web-guard.ts';

/** Commands that only tell something, or ask a model or a server for it. */
const reads = `
  sessions: events list search find branches download binned show detail history programs manifest trimmed escalations
    result replay movePreview
  attachments: chats read preview find resources prompts takePrompt
  changes: show checkpoints file untracked
  models: list show search suggest cards strain probe
  plan keys: list test
  home: info log licenses
  doctor setup: trials
  sandboxes: watch network
  comparisons: watch show list sessionTasks
  capsules: plan
  calibrations: watch show list
  stepCosts taskNeeds budget: show
  prices: show
  costs monthCosts receipts: show
  routing: learned expect
  rules: show check test
  tools: list known
  web: list
  ownTools: list versions template check
  settings: get path watch
  templates: list
  assistants: list show
  skills: list show
  memory: list
  projects: records page removal settings parts preparation instructions image copySize map search
  documents: find show
  knowledge: list
  git: read planCommit planPush planRequest issue
  endpoint: knows expectAgain clients
  host: info`;

/** The work on sessions, which is what a browser is for, and the models that it needs. */
const works = `
  sessions: create send choose withdraw cancel approve answerCap rename organize fork delete restore purge editPlan
  attachments: keep keepChats keepResource
  changes: take undo restore
  models: pull repair noteStrain
  comparisons: create start cancel judge
  calibrations: create start cancel
  git: commit review
  endpoint: askAgain readTexts`;

/** `a: b c` is `a.b` and `a.c`; a word before a group with a colon is a command by itself. */
function namesIn(table: string): readonly string[] {
  let group = '';
  return table
    .trim()
    .split(/\n(?= {2}\S)/u)
    .flatMap((line) => {
      group = '';
      return line
        .trim()
        .split(/\s+/u)
        .flatMap((word) => {
          if (word.endsWith(':')) {
            group = `${word.slice(0, -1)}.`;
            return [];
          }
          return [group + word];
        });
    });
}

function commandsOf(node: object, path: string): readonly string[] {
  if (isContractProcedure(node)) return [path];
  return Object.entries(node).flatMap(([name, child]) =>
    commandsOf(Object(child), path === '' ? name : `${path}.${name}`),
  );
}

/** Catches: a new command that changes something, and that a browser without a grant may call because nobody decided. */
it('a browser has a decision about every command: it reads, it works on sessions, it needs a grant, or it is refused', () => {
  const all = commandsOf(contract, '');
  const refused = refusedCommands([]);
  // The app alone answers them; in a browser, they are refused by the core.
  const app = Object.keys(hostCommands)
    .map((name) => `host.${name}`)
    .filter((name) => name !== 'host.info' && !refused.includes(name));
  const decided = [...namesIn(reads), ...namesIn(works), ...refused, ...app];
  expect(decided.filter((name, at) => decided.indexOf(name) !== at)).toEqual([]);
  expect([...decided].sort()).toEqual([...all].sort());
});

it('a grant opens only what belongs to it, and no grant opens what only the machine does', () => {
  const opened = webGrants.map((grant): [string, readonly string[]] => {
    const left = refusedCommands([grant]);
    return [
      grant,
      [
        ...new Set(
          refusedCommands([])
            .filter((name) => !left.includes(name))
            .map((name) => name.split('.')[0] ?? ''),
        ),
      ],
    ];
  });
  expect(Object.fromEntries(opened)).toEqual({
    keys: ['keys'],
    terminal: ['sandboxes'],
    settings: [
      'settings',
      'projects',
      'budget',
      'routing',
      'rules',
      'skills',
      'memory',
      'assistants',
      'templates',
      'sessions',
    ],
  });
  for (const name of ['tools.add', 'knowledge.add', 'git.push', 'setup.try', 'sessions.export', 'clean'])
    expect(refusedCommands(webGrants)).toContain(name);
});

it('a command of the app that a browser asks for is refused by the core', () => {
  for (const [name, handler] of Object.entries(hostCommands)) {
    if (name === 'info') continue;
    expect(handler, name).toThrow('This is only there in the app.');
  }
});
