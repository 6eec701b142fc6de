import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '@shared/session/run-result.ts';
import { changes } from '../../../../src/main/hosts/cli/commands/sessions/changes.command.ts';
import { clean } from '../../../../src/main/hosts/cli/commands/clean.command.ts';
import { compare } from '../../../../src/main/hosts/cli/commands/compare.command.ts';
import type { CommandContext } from '../../../../src/main/hosts/text/command-context.ts';
import { costs } from '../../../../src/main/hosts/cli/commands/costs.command.ts';
import { doctor } from '../../../../src/main/hosts/cli/commands/doctor.command.ts';
import { reportFailure } from '../../../../src/main/hosts/text/report-failure.ts';
import { instructions } from '../../../../src/main/hosts/cli/commands/projects/instructions.command.ts';
import { listKeys } from '../../../../src/main/hosts/cli/commands/keys.command.ts';
import { library } from '../../../../src/main/hosts/cli/commands/sessions/session-library.command.ts';
import { manifest } from '../../../../src/main/hosts/cli/commands/sessions/manifest.command.ts';
import { repairModel } from '../../../../src/main/hosts/cli/commands/models/repair-model.command.ts';
import { listModels, pullModel, showModel } from '../../../../src/main/hosts/cli/commands/models/models.command.ts';
import { plan } from '../../../../src/main/hosts/cli/commands/models/memory-plan.command.ts';
import { probeModel } from '../../../../src/main/hosts/cli/commands/models/probe-model.command.ts';
import { projectList } from '../../../../src/main/hosts/cli/commands/projects/project-list.command.ts';
import { prepareProject } from '../../../../src/main/hosts/cli/commands/projects/prepare-project.command.ts';
import { route } from '../../../../src/main/hosts/cli/commands/route.command.ts';
import { checkRules, listRules, testRules } from '../../../../src/main/hosts/cli/commands/rules.command.ts';
import { showResult } from '../../../../src/main/hosts/text/result-text.ts';
import { sandboxImage } from '../../../../src/main/hosts/cli/commands/sandbox-image.command.ts';
import { searchSessions } from '../../../../src/main/hosts/cli/commands/sessions/search-sessions.command.ts';
import { assistants } from '../../../../src/main/hosts/cli/commands/assistants.command.ts';
import { listSessions } from '../../../../src/main/hosts/cli/commands/sessions/list-sessions.command.ts';
import { organize } from '../../../../src/main/hosts/cli/commands/sessions/organize-sessions.command.ts';
import { replaySession, showSession } from '../../../../src/main/hosts/cli/commands/sessions/sessions.command.ts';
import { settings } from '../../../../src/main/hosts/cli/commands/settings.command.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import { hostileClient } from '../../../fakes/hostile-client.ts';
import { harmIn, hostileTexts } from '../../../fakes/hostile-texts.ts';
import type { SomeHandlers } from '../../../fakes/fake-handlers.ts';
import type { PageCore } from '../../../fakes/page-core.ts';
import { createPageCore } from '../../../fakes/page-core.ts';
import { comparisonScene } from '../../../fakes/comparison-scene.ts';
import { fixScene, furnish, models } from '../../../fakes/page-scenes.ts';

/** Catches: a command that prints a text from the core without escaping it, whoever wrote the text. */
type Run = (context: CommandContext, json: boolean) => Promise<number>;

const session = 'session-1';

const commands: Readonly<Record<string, Run>> = {
  'sessions list': (context, json) => listSessions(context, { json }),
  assistants: (context, json) => assistants(context, 'list', [], { json }),
  'assistants show': (context) => assistants(context, 'show', ['reviewer'], {}),
  'sessions archive': (context) => organize(context, 'archive', [session], []),
  'sessions show': (context, json) => showSession(context, session, { json }),
  'sessions bin': (context, json) => library(context, 'bin', [], { json }),
  'sessions fork': (context, json) => library(context, 'fork', [session], { json }),
  'sessions search': (context, json) => searchSessions(context, 'week', { json }),
  replay: (context, json) => replaySession(context, [session], { json }),
  changes: (context, json) => changes(context, session, [], { json }),
  'changes take': (context, json) => changes(context, session, ['take'], { json }),
  doctor: (context, json) => doctor(context, { json }),
  'models list': (context, json) => listModels(context, { json }),
  'models show': (context, json) => showModel(context, models[0]?.id ?? '', { json }),
  'models pull': (context) => pullModel(context, 'hf:example/one'),
  'models probe': (context, json) => probeModel(context, models[0]?.id ?? '', { json }),
  'models repair': (context, json) => repairModel(context, models[0]?.id ?? '', { json, yes: true }),
  keys: (context, json) => listKeys(context, { json }),
  costs: (context, json) => costs(context, { json }),
  'costs by model': (context, json) => costs(context, { by: 'model', json }),
  'costs as a table': (context) => costs(context, { csv: true }),
  'costs of steps': (context, json) => costs(context, { steps: session, json }),
  manifest: (context, json) => manifest(context, session, '1', { json }),
  'route of a session': (context, json) => route(context, session, undefined, { json }),
  'route of a step': (context, json) => route(context, session, '1', { json }),
  'route of all': (context, json) => route(context, undefined, undefined, { json }),
  rules: (context, json) => listRules(context, { json }),
  'rules check': (context, json) => checkRules(context, undefined, { json }),
  'rules test': (context, json) => testRules(context, 'a.md', { json }),
  plan: (context, json) => plan(context, 'example/one', { json }),
  'settings get': (context) => settings(context, 'get', [undefined, undefined]),
  'projects list': (context, json) => projectList(context, 'list', undefined, { json }),
  'projects prepare': (context, json) => prepareProject(context, '/p', { yes: true, json }),
  'projects instructions': (context, json) => instructions(context, 'show', tmpdir(), { json }),
  'projects image': (context, json) => sandboxImage(context, 'use', '/p', { approval: 'b'.repeat(64), json }),
  clean: (context, json) => clean(context, { json }),
  compare: (context, json) => compare(context, undefined, { resume: 'last', json }),
  'compare list': (context, json) => compare(context, undefined, { list: true, json }),
  'the result of a run': async (context, json) => {
    showResult(await (await context.core()).sessions.result({ sessionId: session }), context.terminal, {
      isJson: json,
      currency: null,
    });
    return 0;
  },
};

let core: PageCore;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  comparisonScene(core);
  await fixScene(core);
  core.replace(answers());
  core.settings['projects'] = { added: ['/p'], removed: {} };
  core.instructions = [
    {
      path: 'AGENTS.md',
      state: 'changed',
      sha256: 'a'.repeat(64),
      text: 'a\nb',
      diff: '-a',
      problem: 'p',
      sizeBytes: 3,
    },
  ];
  core.found.set('week', [
    {
      sessionId: session,
      title: 'A title',
      projectPath: null,
      seq: 1,
      at: 1,
      kind: 'answer',
      ref: null,
      snippet: { before: 'a', match: 'week', after: 'b' },
    },
  ]);
});

/** The answers that this core does not have otherwise. */
function answers(): SomeHandlers {
  const item = {
    kind: 'image',
    name: 'image',
    sizeBytes: 1,
    unneeded: 'no project uses it',
    isRemoved: false,
  } as const;
  const rule = { line: 1, verdict: 'local-only', kind: 'path', value: 'plans/**', from: 'line 1' } as const;
  return {
    clean: () => [item],
    assistants: {
      list: () => ({
        folder: '/home/assistants',
        assistants: [{ name: 'reviewer', text: 'You review.', model: 'a/b' }],
        broken: [{ name: 'other', why: 'The line "x" is not known.' }],
      }),
      show: () => ({ text: 'You review.' }),
    },
    sessions: {
      result: () => result,
      binned: () => core.client.sessions.list(),
      replay: () => ({ matched: false, events: 1, stateHash: 'a', recordedHash: 'b', firstDifference: 'at 1' }),
      fork: () => ({ sessionId: 'forked', notRestored: [{ path: 'a.py', why: 'its bytes are gone' }] }),
      manifest: () => ({
        model: 'example/large-1',
        purpose: 'act',
        bytes: 4,
        parts: [
          {
            role: 'user',
            kind: 'file',
            bytes: 4,
            origin: 'a.py',
            text: 'text',
            hits: [{ path: 'a.py', rule: 'r', verdict: 'ask', how: 'content' }],
          },
        ],
        builtFrom: [],
      }),
    },
    changes: {
      take: () => ({ done: ['a.py'], refused: [{ path: 'b.py', why: 'it changed' }], broughtBack: [] }),
    },
    models: {
      repair: () => ({ problem: 'its window is small', plan: 'a copy is made', made: 'server/copy' }),
      pull: async function* () {
        yield { phase: 'done', doneBytes: 2, totalBytes: 2, text: 'as one' };
      },
    },
    rules: {
      show: () => ({
        files: [
          {
            owner: 'own',
            path: '/r',
            text: 't',
            hash: 'h',
            holds: 'stricter',
            problems: ['p'],
            rules: [rule],
            errors: [{ line: 1, text: 'e' }],
            warnings: [{ line: 1, text: 'w' }],
          },
        ],
      }),
      test: () => ({
        place: { where: 'local', text: 'by line 1' },
        fence: { verdict: 'ask', text: 'line 1' },
        mask: 'plans',
      }),
    },
  };
}

const elsewhere = {
  basis: 'estimated',
  usd: { value: 1, low: 1, high: 2 },
  seconds: null,
  why: 'w',
  formula: 'f',
} as const;

const result: RunResult = {
  session,
  status: 'gave-up',
  reason: 'gave-up: no way',
  text: 'An answer.',
  confidence: 'unchecked',
  check: { command: 'pytest', before: false, after: false },
  routing: { policy: 'local', hasCloud: false },
  steps: 1,
  actions: 1,
  seconds: 1,
  tokens: { freshInput: 1, cacheRead: 0, cacheWrite: 0, output: 1 },
  costUsd: 0,
  energyWh: null,
  counterfactual: { allLocal: 1, allCloud: 1, reason: 'r', detail: { allLocal: elsewhere, allCloud: elsewhere } },
  byStep: [],
  workspace: { mode: 'copy', path: '/w' },
  changes: [{ path: 'a.py', added: 1, removed: null }],
};

/** What a command prints when the texts of the core are changed. */
async function say(run: Run, json: boolean, change: (text: string, at: number) => string) {
  const { context, said } = commandContext(core, !json);
  const plain = await context.core();
  const own = { ...context, core: async () => hostileClient(plain, change) };
  await run(own, json).catch((error: unknown) => reportFailure(error, context.terminal));
  return said;
}

const hostile = Object.values(hostileTexts);
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-hostile-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe.each(Object.entries(commands))('dewpoint %s', (_name, run) => {
  it('writes no control character to the terminal, whichever text is hostile', async () => {
    let count = 0;
    await say(run, false, (text, at) => {
      count = Math.max(count, at + 1);
      return text;
    });
    expect(count).toBeGreaterThan(0);
    const found = new Set<string | null>();
    for (let chosen = 0; chosen < count; chosen += Math.ceil(count / 100)) {
      const bad = hostile[chosen % hostile.length] ?? '';
      const said = await say(run, false, (text, at) => (at === chosen ? bad : text));
      found.add(harmIn(said.out.replaceAll('\r\n', '\n'), true)).add(harmIn(said.err, true));
    }
    for (const bad of hostile) {
      const said = await say(run, false, () => bad);
      const mixed = await say(run, false, (text) => `${text}${bad}`);
      for (const text of [said.out, said.err, mixed.out, mixed.err])
        found.add(harmIn(text.replaceAll('\r\n', '\n'), true));
    }
    expect([...found]).toEqual([null]);
  });

  it('writes JSON without invisible characters, with the same values', async () => {
    for (const bad of hostile) {
      const { out } = await say(run, true, (text) => `${text}${bad}`);
      expect(harmIn(out.replaceAll('\r\n', '\n'))).toBeNull();
    }
  });
});
