import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FenceRule } from '@shared/safety/fences.ts';
import { settingsSchema } from '@shared/settings/settings.ts';
import { fenceSources } from '../../../../src/main/safety/rules/session-rules.ts';
import { sessionRepository } from '../../../../src/main/sessions/open/session-repository.ts';
import type { ToolContext, ToolResult } from '../../../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../../../src/main/tools/registry.ts';
import { isWithoutGit } from '../../../fakes/git-here.ts';
import { createMemoryJournal } from '../../../fakes/memory-journal.ts';
import { realRepository, workedSessions, type RealRepository } from '../../../fakes/real-repository.ts';

const settings = settingsSchema.parse({});

interface Rules {
  readonly masks?: readonly string[];
  readonly fences?: readonly FenceRule[];
}

/** The tool of a session in this repository, with rules of the user. */
function toolIn({ folder }: RealRepository, { masks = [], fences = [] }: Rules = {}) {
  const rules = { places: [], fences, projectFences: [], masks, shut: null, problems: [] };
  const { runGit } = workedSessions(createMemoryJournal());
  const homePath = mkdtempSync(join(tmpdir(), 'dewpoint-home-'));
  const repository = sessionRepository(
    { workspaces: { runGit }, settings: () => settings, homePath, userFiles: { rules: async () => rules } },
    { workspacePath: folder, projectPath: folder, fences: async () => fenceSources(rules, settings) },
  );
  const tool = builtInTools(discoverTools(), { now: () => 0 }).find(({ name }) => name === 'read_git');
  const { signal } = new AbortController();
  const context = { signal, facts: { repository } } as unknown as ToolContext;
  return async (input: Readonly<Record<string, string>>): Promise<ToolResult> => {
    if (tool === undefined) throw new Error('There is no such tool.');
    return tool.run(input, context);
  };
}

function withSecrets(): RealRepository {
  const repo = realRepository();
  repo.write('a.py', 'print(1)\n');
  repo.write('.env', 'KEY=canary-old\n');
  repo.write('inner/plan.md', 'canary-plan\n');
  repo.write('private/notes.md', 'canary-notes\n');
  repo.commit('one');
  rmSync(join(repo.folder, '.env'));
  repo.write('inner/plan.md', 'nothing here\n');
  repo.write('private/notes.md', 'nothing here\n');
  repo.write('a.py', 'print(2)\n');
  repo.commit('two');
  return repo;
}

describe.skipIf(isWithoutGit)('the read_git tool', () => {
  it('shows status, diff, log, show and blame', async () => {
    const repo = realRepository();
    repo.write('a.py', 'one\n');
    const first = repo.commit('First').slice(0, 10);
    repo.write('a.py', 'one\ntwo\n');
    const second = repo.commit('Second\n\nWhy').slice(0, 10);
    repo.write('a.py', 'one\ntwo\nthree\n');
    const ask = toolIn(repo);
    expect((await ask({ what: 'status' })).output).toBe(`main: ${second}\nmodified a.py`);
    expect((await ask({ what: 'diff' })).output).toContain('+three');
    expect((await ask({ what: 'diff', ref: 'HEAD~1..HEAD' })).output).toMatch(/\+two$/u);
    expect((await ask({ what: 'log' })).output).toMatch(new RegExp(`^${second} .*: Second\n${first} .*: First$`, 'u'));
    expect((await ask({ what: 'show' })).output).toContain('Why');
    const blame = await ask({ what: 'blame', path: 'a.py' });
    expect(blame.output).toBe(
      `A line that came by a merge counts for the merge:\n1 ${first} Ada: one\n2 ${second} Ada: two\n3  not committed yet: three\n1 line is not committed yet.`,
    );
    expect(blame.data).toEqual({ matches: [{ path: 'a.py' }] });
    expect(await ask({ what: 'blame' })).toMatchObject({ status: 'error', output: 'blame needs a path.' });
    expect(await ask({ what: 'show', ref: '--output=x' })).toMatchObject({ status: 'error' });
    expect(await ask({ what: 'show', ref: 'nothing' })).toMatchObject({ status: 'error' });
  });

  // Catches: what is hidden today, and was committed once.
  it('shows no version of a file that is hidden or fenced, or whose name says that it holds secrets', async () => {
    const repo = withSecrets();
    const ask = toolIn(repo, {
      masks: ['private/**'],
      fences: [{ paths: ['inner/**'], verdict: 'local-only' }],
    });
    const shown = await ask({ what: 'show' });
    expect(shown.output).toContain('print(2)');
    expect(shown.output).toContain('3 more files are not shown.');
    const outputs = [shown.output, (await ask({ what: 'diff', ref: 'HEAD~1' })).output];
    for (const path of ['.env', './inner/../.env', 'inner/plan.md', 'private/notes.md']) {
      const blame = await ask({ what: 'blame', path, ref: 'HEAD~1' });
      expect([path, blame.status]).toEqual([path, 'refused']);
      outputs.push(blame.output, (await ask({ what: 'diff', ref: 'HEAD~1', path })).output);
    }
    outputs.push((await ask({ what: 'diff', ref: 'HEAD~1..HEAD', path: 'inner' })).output);
    expect(outputs.join('\n')).not.toContain('canary');
  });

  it('reads no repository of a folder above the workspace', async () => {
    const repo = withSecrets();
    const below = { ...repo, folder: join(repo.folder, 'inner') };
    expect(await toolIn(below)({ what: 'log' })).toMatchObject({ status: 'error' });
  });
});
