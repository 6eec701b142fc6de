import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import type { Handlers } from '../../../../../src/main/hosts/cli/program/program.ts';
import { buildProgram } from '../../../../../src/main/hosts/cli/program/program.ts';
import { runFlags } from '../../../../../src/main/hosts/cli/program/run-flags.ts';
import { parseRunOptions } from '../../../../../src/main/hosts/cli/turn/parse-run-options.ts';

/** Runs a command line. Returns what the handler got, or the exit code and the error text. */
async function parse(
  ...argv: string[]
): Promise<{ readonly called: readonly unknown[]; readonly code: number; readonly error: string }> {
  const called: unknown[] = [];
  const record =
    (name: string) =>
    async (...args: readonly unknown[]): Promise<void> =>
      void called.push(name, ...args.filter((arg) => arg !== undefined));
  const handlers: Handlers = {
    run: record('run'),
    chat: record('chat'),
    compare: record('compare'),
    calibrate: record('calibrate'),
    evaluate: record('eval'),
    capsule: record('capsule'),
    changes: record('changes'),
    replay: record('replay'),
    route: record('route'),
    rules: record('rules'),
    assistants: record('assistants'),
    skills: record('skills'),
    memory: record('memory'),
    programs: record('programs'),
    tools: record('tools'),
    manifest: record('manifest'),
    listSessions: record('listSessions'),
    showSession: record('showSession'),
    organize: record('organize'),
    searchSessions: record('searchSessions'),
    library: record('library'),
    models: record('models'),
    keys: record('keys'),
    costs: record('costs'),
    receipt: record('receipt'),
    budget: record('budget'),
    settings: record('settings'),
    plan: record('plan'),
    projects: record('projects'),
    projectGit: record('projectGit'),
    commitSession: record('commitSession'),
    mapProject: record('mapProject'),
    searchProject: record('searchProject'),
    gitHost: record('gitHost'),
    requestSession: record('requestSession'),
    prepareProject: record('prepareProject'),
    sandboxImage: record('sandboxImage'),
    instructions: record('instructions'),
    clean: record('clean'),
    doctor: record('doctor'),
    serve: record('serve'),
    serveKeys: record('serveKeys'),
    acp: record('acp'),
  };
  let error = '';
  const program = buildProgram(handlers, '1.2.3', {
    out: () => undefined,
    err: (text) => void (error += text),
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return { called, code: 0, error };
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return { called, code: thrown.exitCode, error };
  }
}

describe('the command line', () => {
  it('takes the project first and then what is added to its knowledge, and refuses one without the other', async () => {
    const { called } = await parse('projects', 'knowledge', 'add', '.', 'a.pdf', 'https://example.org', '--whole');
    const words = ['a.pdf', 'https://example.org'];
    const wish = { type: 'knowledge', action: 'add', folder: '.', words, args: { whole: true } };
    expect(called).toEqual(['searchProject', wish]);
    for (const action of ['add', 'remove']) {
      const alone = await parse('projects', 'knowledge', action, 'a.pdf');
      expect(alone.code).not.toBe(0);
      expect(alone.called).toEqual([]);
    }
    expect((await parse('projects', 'knowledge', 'list', '--jsn')).error).toContain('--json');
  });

  it('takes the project of its knowledge by --project, too, and says how where a word is missing', async () => {
    for (const action of ['add', 'remove']) {
      const { called } = await parse('projects', 'knowledge', action, '--project', 'Tax 2026', 'a.pdf', 'b.pdf');
      const wish = { type: 'knowledge', action, folder: 'Tax 2026', words: ['a.pdf', 'b.pdf'] };
      expect(called).toEqual(['searchProject', { ...wish, args: { project: 'Tax 2026' } }]);
      const { error } = await parse('projects', 'knowledge', action, 'a.pdf');
      expect(error).toContain(`dewpoint projects knowledge ${action} . handbook.pdf`);
    }
    const { called } = await parse('projects', 'knowledge', 'list', '--project', 'Tax 2026');
    expect(called).toMatchObject(['searchProject', { action: 'list', folder: 'Tax 2026' }]);
  });

  it('takes a cap by its name, amount and project', async () => {
    const { called } = await parse('budget', 'raise', 'project', '5', '--project', 'x');
    expect(called).toEqual(['budget', 'raise', ['project', '5'], { project: 'x' }]);
    expect((await parse('budget', 'raise', 'project')).code).not.toBe(0);
  });

  it('hands a task and its options to run', async () => {
    expect((await parse('run', 'Fix it', '--project', 'x', '--json')).called).toEqual([
      'run',
      'Fix it',
      { project: 'x', json: true },
    ]);
  });

  it('takes the options of a run in a chat, too', async () => {
    const typed = ['--cloud', 'a/b', '--policy', 'cloud', '--max-usd', '1', '--thinking', 'high'];
    const args = { cloud: 'a/b', policy: 'cloud', maxUsd: '1', thinking: 'high' };
    expect((await parse('chat', ...typed)).called).toEqual(['chat', args]);
    expect(parseRunOptions(args, true)).toMatchObject({ ...args, maxUsd: 1 });
  });

  it('passes a model file with its name, a removal and a probe to the models command', async () => {
    expect((await parse('models', 'import', 'a.gguf', '--name', 'a')).called).toEqual([
      'models',
      'import',
      'a.gguf',
      { name: 'a' },
    ]);
    expect((await parse('models', 'remove', 'llama-cpp/a', '--yes')).called).toEqual([
      'models',
      'remove',
      'llama-cpp/a',
      { yes: true },
    ]);
    expect((await parse('models', 'probe', 'llama-cpp/a')).called).toEqual(['models', 'probe', 'llama-cpp/a', {}]);
  });

  it('refuses an unknown option with the nearest match', async () => {
    const { code, error } = await parse('run', 'x', '--projekt', 'y');
    expect(code).not.toBe(0);
    expect(error).toContain('Did you mean --project?');
  });

  /** Catches: `doctor --bundle --log`, which writes a file named `--log`. */
  it('does not take an option as the value of another, at any depth', async () => {
    for (const argv of [
      ['doctor', '--bundle', '--log'],
      ['doctor', '--bundle', '--lgo'],
      ['run', '--check', '--json', 'task'],
      ['run', '--project', '-h', 'task'],
      ['serve', '--allow', 'keys', '--allow', '--open'],
      ['sessions', 'list', '--tag', '--json'],
    ]) {
      const { called, code, error } = await parse(...argv);
      expect([argv, called, code]).toEqual([argv, [], 2]);
      expect(error).toMatch(/needs a value, and -\S+ is an option|unknown option/u);
    }
    expect(await parse('doctor', '--bundle=--log')).toMatchObject({ called: ['doctor', { bundle: '--log' }], code: 0 });
    expect(await parse('run', '--max-usd', '-1', '--', '--json')).toMatchObject({
      called: ['run', '--json', { maxUsd: '-1' }],
    });
    expect((await parse('run', '--check', 'npm test -- --json', 'task')).code).toBe(0);
  });

  /** Catches: an exit code without a word. */
  it('says which number it takes, where another was given', async () => {
    for (const [command, option] of [
      ['git', '--limit'],
      ['map', '--tokens'],
    ] as const)
      for (const word of ['x', '-1', '0', '1.5']) {
        const argv = command === 'git' ? ['projects', 'git', 'log', option, word] : ['projects', 'map', option, word];
        const { called, error } = await parse(...argv);
        expect([argv, called]).toEqual([argv, []]);
        expect(error).toContain('Give a whole number from');
      }
    const { called } = await parse('projects', 'git', 'log', '--limit', '7');
    expect(called).toMatchObject(['projectGit', { type: 'log', limit: 7 }, { limit: 7 }]);
  });

  it('refuses an empty option or name, as of a variable that was not set', async () => {
    for (const argv of [
      ['run', 'x', '--project', ''],
      ['run', 'x', '--file', 'a', '--file', ''],
      ['projects', 'add', ''],
      ['changes', 'last', 'undo', ''],
    ]) {
      const { called, code, error } = await parse(...argv);
      expect({ called, code }).toEqual({ called: [], code: 2 });
      expect(error).toMatch(/needs a value|is empty/u);
    }
    expect((await parse('settings', 'set', 'a', '')).code).toBe(0);
  });

  it('points to the help of the command that was meant', async () => {
    expect((await parse('sessions', 'show')).error).toContain('(see: dewpoint sessions show --help)');
    expect((await parse('nope')).error).toContain('(see: dewpoint --help)');
  });

  it.each([
    [['mcp', '--help'], "error: unknown command 'mcp'\n(Did you mean tools?)"],
    [['undo'], '(Did you mean changes last undo?)'],
    [['import', 'x.dewpoint'], '(Did you mean sessions import or models import?)'],
    [['sessions', 'diff'], "error: unknown command 'diff'"],
    [['modles', '-h'], 'Did you mean models?'],
    [['projects', 'knowlege', '--help'], 'Did you mean knowledge?'],
    [['projects', 'knowledge', 'nothing', '--help'], "error: unknown command 'nothing'"],
  ])('names an unknown command where its help is asked for: %j', async (words, text) => {
    const { code, error } = await parse(...words);
    expect(code).not.toBe(0);
    expect(error).toContain(text);
  });

  it.each([[['--help']], [['run', 'mcp', '--help']], [['projects', '-h']], [['help', 'tools']], [['serve', '--help']]])(
    'shows the help of a command that exists: %j',
    async (words) => {
      expect(await parse(...words)).toEqual({ called: [], code: 0, error: '' });
    },
  );

  it('refuses an unknown command with the nearest match', async () => {
    expect((await parse('ru')).error).toContain('Did you mean run?');
  });

  // Bug: "Did you mean --mode?" for `--model`, which every similar program has.
  it.each([
    [['run', 'x', '--model', 'a/b'], 'Did you mean --local or --cloud?'],
    [['run', 'x', '--model=a/b'], 'Did you mean --local or --cloud?'],
    [['chat', '--yes'], 'Did you mean --approve?'],
    [['costs', '--model', 'a/b'], "unknown option '--model'\n(see"],
    [['limits'], 'Did you mean budget?'],
    [['export', 'last'], 'Did you mean sessions export?'],
    [['knowledge'], 'Did you mean projects knowledge?'],
    [['config', 'get'], 'Did you mean settings?'],
    [['Fix the "bug"'], String.raw`Did you mean: dewpoint run "Fix the \"bug\""`],
  ])('says how the names of similar programs are called here: %j', async (argv, words) => {
    const { code, error } = await parse(...argv);
    expect(code).not.toBe(0);
    expect(error).toContain(words);
  });

  // Bugs: "(default: stop)" in the help of chat, which asks, and "a text file" where a PDF or an image is taken, too.
  it('is helped with what really is the default', () => {
    expect(runFlags.atCap[1]).toContain('in chat: ask');
    for (const name of ['maxSteps', 'maxMinutes', 'maxTokens', 'maxCalls'] as const)
      expect(runFlags[name][1]).toContain(`default: limits.${name}`);
  });

  it('refuses a missing and an extra argument', async () => {
    expect((await parse('sessions', 'show')).code).not.toBe(0);
    expect((await parse('sessions', 'show', 'a', 'b')).code).not.toBe(0);
  });

  it('shows help with an example at every level', async () => {
    const program = buildProgram({} as Handlers, '1.2.3', { out: () => undefined, err: () => undefined });
    const commands = [program, ...program.commands, ...program.commands.flatMap((inner) => inner.commands)];
    for (const command of commands) {
      let text = '';
      command.configureOutput({ writeOut: (part) => void (text += part) });
      command.outputHelp();
      expect(text, command.name()).toContain('Example:\n  dewpoint ');
    }
  });
});

describe('the parser of run options', () => {
  it('reads --plan as the mode of a plan', () => {
    expect(parseRunOptions({ plan: true }, false).mode).toBe('plan');
  });

  it('takes numbers as numbers', () => {
    expect(parseRunOptions({ maxSteps: '3', maxCalls: '2', maxUsd: '0.5' }, false)).toMatchObject({
      maxSteps: 3,
      maxCalls: 2,
      maxUsd: 0.5,
      strategy: 'auto',
    });
  });

  it.each([
    [{ maxSteps: 'many' }, '--max-steps takes a number'],
    [{ maxSteps: '-1' }, '--max-steps'],
    [{ strategy: 'fast' }, '--strategy'],
    [{ policy: 'wild' }, '--policy'],
    [{ session: 'x', project: 'y' }, '--session'],
  ])('refuses %j', (args, message) => {
    expect(() => parseRunOptions(args, false)).toThrow(message);
  });
});
