import { globSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { Handlers } from '../../../../../src/main/hosts/cli/program/program.ts';
import { buildProgram } from '../../../../../src/main/hosts/cli/program/program.ts';

const nothing = async (): Promise<void> => undefined;
const silent = { out: () => undefined, err: () => undefined };
const handlers: Handlers = {
  run: nothing,
  chat: nothing,
  compare: nothing,
  calibrate: nothing,
  evaluate: nothing,
  capsule: nothing,
  changes: nothing,
  replay: nothing,
  route: nothing,
  rules: nothing,
  assistants: nothing,
  skills: nothing,
  memory: nothing,
  tools: nothing,
  programs: nothing,
  manifest: nothing,
  listSessions: nothing,
  showSession: nothing,
  organize: nothing,
  searchSessions: nothing,
  library: nothing,
  models: nothing,
  keys: nothing,
  costs: nothing,
  receipt: nothing,
  budget: nothing,
  instructions: nothing,
  settings: nothing,
  plan: nothing,
  projects: nothing,
  projectGit: nothing,
  commitSession: nothing,
  mapProject: nothing,
  searchProject: nothing,
  gitHost: nothing,
  requestSession: nothing,
  prepareProject: nothing,
  sandboxImage: nothing,
  clean: nothing,
  doctor: nothing,
  serve: nothing,
  serveKeys: nothing,
  acp: nothing,
};

function leavesOf(command: Command, words: readonly string[] = []): readonly (readonly [string, Command])[] {
  const own = [...words, command.name()];
  const inner = command.commands.flatMap((one) => leavesOf(one, own));
  // `serve` is itself a command, and also has subcommands.
  const isCommand = inner.length === 0 || (words.length > 0 && command.options.length > 0);
  return isCommand ? [[own.join(' '), command], ...inner] : inner;
}

/** Whether words begin with a command. After one without subcommands, they are its arguments. */
function isCommandOf(program: Command, words: readonly string[]): boolean {
  const [first, ...rest] = words;
  if (first === undefined || program.commands.length === 0) return true;
  const next = program.commands.find((one) => one.name() === first);
  return next === undefined ? program.registeredArguments.length > 0 : isCommandOf(next, rest);
}

/** A command in the form of docs/guide/cli.md: its words, arguments and options, with line breaks. */
function lineOf([words, command]: readonly [string, Command]): string {
  const parts = [
    ...command.registeredArguments.map((argument) => {
      const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
      return argument.required ? `<${text}>` : `[${text}]`;
    }),
    ...command.options.map(({ flags }) => `[${flags}]`),
  ];
  let text = words;
  let width = text.length;
  for (const part of parts) {
    const isFull = width + part.length + 1 > 116;
    text += isFull ? `\n    ${part}` : ` ${part}`;
    width = isFull ? part.length + 4 : width + part.length + 1;
  }
  return text;
}

describe('the list of commands', () => {
  it('is that of docs/guide/cli.md, with every argument and option', () => {
    const written = /```\n(dewpoint [\s\S]*?)```/u.exec(readFileSync('docs/guide/cli.md', 'utf8'))?.[1];
    expect(written?.trim().split('\n')).toEqual(
      leavesOf(buildProgram(handlers, '1.2.3', silent))
        .map(lineOf)
        .join('\n')
        .split('\n'),
    );
  });

  /** Catches: a page that sends its reader to a command that has another name. */
  it('has each command that a page of the guide names', () => {
    const program = buildProgram(handlers, '1.2.3', silent);
    const named = ['README.md', ...globSync('docs/guide/*.md')].flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/(?<=`|^)dewpoint((?: [a-z][a-z-]*)+)/gmu)].map(
        ([, words = '']) => [path, words.trim().split(' ')] as const,
      ),
    );
    expect(named.length).toBeGreaterThan(150);
    const lost = named.filter(([, words]) => !isCommandOf(program, words));
    expect(lost.map(([path, words]) => `${path}: ${words.join(' ')}`)).toEqual([]);
  });

  it('has every promised command, each with an example in its help', () => {
    const leaves = new Map(leavesOf(buildProgram(handlers, '1.2.3', silent)));
    const promised: Readonly<Record<string, string>> = {
      run: 'project workspace session check assistant policy local cloud strategy max-steps max-minutes max-tokens max-usd at-cap approve default-after-minutes network sandbox plan json result',
      chat: 'project session',
      changes: '',
      compare: 'project policies check repeat local cloud strategy max-usd json',
      replay: 'json',
      'sessions list': 'project tag model place since min-cost pinned archived json',
      'sessions show': '',
      'sessions pin': '',
      'sessions archive': '',
      'sessions tag': '',
      'sessions search': '',
      'sessions export': '',
      'sessions import': '',
      'sessions delete': '',
      'projects list': '',
      'projects add': '',
      'projects remove': '',
      'projects rules': '',
      'projects prepare': '',
      'models list': '',
      'models pull': '',
      'models import': '',
      'models adapter': '',
      'models remove': '',
      'models probe': '',
      'models show': '',
      plan: 'keys context kv flash ubatch slots unified engine card json',
      route: '',
      'keys set': '',
      'keys list': '',
      'keys remove': '',
      'settings get': '',
      'settings set': '',
      'settings path': '',
      costs: 'project since by csv json',
      serve: 'port root open api',
      'serve keys add': 'cloud',
      'serve keys list': '',
      'serve keys revoke': '',
      clean: 'dry-run',
      doctor: 'json bundle',
    };
    const missing = Object.entries(promised).flatMap(([words, options]) => {
      const command = leaves.get(`dewpoint ${words}`);
      if (command === undefined) return [words];
      const known = command.options.map(({ long }) => long);
      return options.split(' ').flatMap((one) => (one === '' || known.includes(`--${one}`) ? [] : `${words} --${one}`));
    });
    expect(missing).toEqual([]);
    for (const command of leaves.values()) {
      let help = '';
      command.configureOutput({ writeOut: (text) => void (help += text) });
      command.outputHelp();
      expect(help).toContain('\nExample:\n  dewpoint ');
    }
  });
});
