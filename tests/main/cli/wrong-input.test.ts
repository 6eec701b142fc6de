import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '@shared/contract.ts';
import { chat } from '../../../src/main/cli/chat.ts';
import { clean } from '../../../src/main/cli/clean.ts';
import { instructions } from '../../../src/main/cli/instructions.ts';
import { manifest } from '../../../src/main/cli/manifest.ts';
import { probeModel } from '../../../src/main/cli/probe-model.ts';
import { run } from '../../../src/main/cli/run.ts';
import { listRules } from '../../../src/main/cli/rules.ts';
import type { CoreApi } from '../../../src/main/api/core-api.ts';
import { commandContext } from '../../fakes/command-context.ts';
import { createScriptedCore } from '../../fakes/scripted-core.ts';

const nowhere = join(tmpdir(), 'dewpoint-nowhere');
const { context } = commandContext(createScriptedCore());
const message = (text: string) => ({ message: expect.stringContaining(text) });

describe('a command that is given something wrong', () => {
  it('cleans nothing when one of the models to remove is not known', async () => {
    const done: string[] = [];
    const core: CoreApi = {
      ...createScriptedCore(),
      listModels: async (): Promise<readonly ModelEntry[]> => [],
      clean: async () => {
        done.push('clean');
        return [];
      },
    };
    await expect(clean(commandContext(core).context, { model: ['nope'] })).rejects.toMatchObject(
      message('There is no model nope'),
    );
    expect(done).toEqual([]);
  });

  it('does not answer for a project that is not there', async () => {
    await expect(instructions(context, 'list', nowhere, {})).rejects.toMatchObject(message('There is no folder'));
    await expect(listRules(context, { project: nowhere })).rejects.toMatchObject(message('There is no folder'));
  });

  it('begins no session when the result could not be written', async () => {
    const core = createScriptedCore();
    const wrong = run(commandContext(core).context, 'Do it.', { result: tmpdir() });
    await expect(wrong).rejects.toMatchObject(message('cannot be written: it is a folder'));
    expect(await core.listSessions()).toEqual([]);
  });

  it('has no manifest of a step that was not made', async () => {
    const core = createScriptedCore();
    const sessionId = await core.createSession({ projectPath: null }, context.signal);
    const { context: ofOne } = commandContext({ ...core, manifest: async () => null });
    await expect(manifest(ofOne, sessionId, '9', {})).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('a command that is stopped', () => {
  it('while the core opens begins no conversation', async () => {
    expect(await chat({ ...context, signal: AbortSignal.abort() }, {})).toBe(130);
  });

  it('before a model was probed says so by its exit code', async () => {
    const stop = new AbortController();
    const core: CoreApi = {
      ...createScriptedCore(),
      probeModel: async () => stop.abort(),
    };
    expect(await probeModel({ ...commandContext(core).context, signal: stop.signal }, 'a/b', {})).toBe(130);
  });
});
