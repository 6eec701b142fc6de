import { describe, expect, it } from 'vitest';
import { clean } from '../../../../../../src/main/hosts/cli/commands/clean.command.ts';
import {
  offerPreparation,
  prepareProject,
} from '../../../../../../src/main/hosts/cli/commands/projects/prepare-project.command.ts';
import type { PreparationPart, PreparationPlan } from '../../../../../../src/shared/projects/project-preparation.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createFakeCore } from '../../../../../fakes/fake-core.ts';
import type { ModelEntry } from '../../../../../../src/shared/contract/models-contract.ts';

const part: PreparationPart = {
  ecosystem: 'python',
  tool: 'pip',
  files: ['requirements.txt'],
  commands: ['pip install \u001B[31m-r requirements.txt'],
  state: 'missing',
  isNeeded: true,
  reason: null,
  packages: null,
  sizeBytes: null,
};
const planOf = (state: PreparationPart['state'], reason: string | null = null): PreparationPlan => ({
  projectPath: '/p',
  image: 'image',
  parts: [{ ...part, state, reason, packages: state === 'ready' ? 3 : null }],
  hosts: [{ host: 'index.example.org', why: 'your configuration of pip' }],
  variables: ['TOKEN'],
  approval: 'a'.repeat(64),
});

function modelOf(id: string, isOurs: boolean): ModelEntry {
  const rest = {
    sizeBytes: 1024,
    license: null,
    info: null,
    note: null,
    file: { path: '/m', hereBytes: 1024, isOurs },
  };
  return { id, label: id, where: 'local', state: 'ready', ...rest };
}

/** A core that reports `before` about a project, and `after` once something was installed. */
function underTest(before: PreparationPlan, after: PreparationPlan = planOf('ready')) {
  const approved: string[] = [];
  const removals: string[] = [];
  const removedModels: string[] = [];
  const core = createFakeCore();
  core.replace({
    projects: {
      parts: () => before.parts,
      preparation: () => before,
      prepare: async function* ({ input }) {
        approved.push(input.approval);
        yield { type: 'text', text: 'pip install' };
        yield { type: 'ended', plan: after };
      },
    },
    clean: ({ input }) => {
      removals.push(input.remove);
      return [];
    },
    models: {
      list: () => [modelOf('llama-cpp/small', true), modelOf('llama-cpp/own', false)],
      remove: ({ input }) => {
        removedModels.push(input.id);
        return { done: 'deleted', path: '/m', bytes: 1024 };
      },
    },
  });
  const { context, said } = commandContext(core);
  return { context, approved, removals, removedModels, said: () => said.out + said.err };
}

describe('dewpoint projects prepare', () => {
  it('shows the commands and hosts, and installs nothing when nobody can say yes', async () => {
    const { context, approved, said } = underTest(planOf('missing'));
    expect(await prepareProject(context, '/p', {})).toBe(4);
    expect(approved).toEqual([]);
    expect(said()).toContain('  | pip install <U+001B>[31m-r requirements.txt\n');
    expect(said()).toContain('download at most 2.1 GB each, and reach only:\n');
    expect(said()).toContain('  index.example.org  (your configuration of pip)\n');
    expect(said()).toContain('They get these variables from your settings: TOKEN');
    expect(said()).not.toContain('\u001B');
  });

  it('runs the shown commands if a yes was given beforehand', async () => {
    const { context, approved, said } = underTest(planOf('missing'));
    expect(await prepareProject(context, '/p', { yes: true })).toBe(0);
    expect(approved).toEqual(['a'.repeat(64)]);
    expect(said()).toContain('Python packages (pip): installed, 3 packages.');
  });

  it('ends with the reason when something could not be installed', async () => {
    const { context, said } = underTest(planOf('missing'), planOf('failed', 'pip install: no such package'));
    expect(await prepareProject(context, '/p', { yes: true })).toBe(1);
    expect(said()).toContain('not installed. pip install: no such package');
  });

  it('says what the project has and cannot be prepared', async () => {
    const { context, said } = underTest({
      ...planOf('ready'),
      parts: [],
      notes: ['Packages of Gradle\u001B are not.'],
    });
    expect(await prepareProject(context, '/p', {})).toBe(0);
    expect(said()).toContain('Packages of Gradle<U+001B> are not.\n');
  });

  it('asks nothing when everything is installed', async () => {
    const { context, approved } = underTest(planOf('ready'));
    expect(await prepareProject(context, '/p', {})).toBe(0);
    expect(approved).toEqual([]);
  });
});

describe('the start of a run', () => {
  it('names what is not installed and the command for it, but installs nothing', async () => {
    const { context, approved, said } = underTest(planOf('missing'));
    await offerPreparation(context, '/p', false);
    expect(said()).toContain('Python packages (pip): not installed');
    expect(said()).toContain('Install them with: dewpoint projects prepare /p');
    expect(approved).toEqual([]);
  });

  it('says nothing when no installation is needed', async () => {
    const { context, said } = underTest({ ...planOf('missing'), parts: [{ ...part, isNeeded: false }] });
    await offerPreparation(context, '/p', false);
    expect(said()).toBe('');
  });
});

describe('dewpoint clean', () => {
  it('removes what is not needed, nothing or everything, as asked', async () => {
    const { context, removals } = underTest(planOf('ready'));
    await clean(context, {});
    await clean(context, { dryRun: true, packages: true });
    await clean(context, { packages: true });
    expect(removals).toEqual(['unneeded', 'nothing', 'all']);
  });

  it('lists the models that Dewpoint fetched, and removes only the named ones', async () => {
    const { context, removedModels, said } = underTest(planOf('ready'));
    await clean(context, {});
    expect(said()).toMatch(/^kept +1\.0 kB +model llama-cpp\/small$/m);
    expect(said()).not.toContain('llama-cpp/own');
    await clean(context, { model: ['llama-cpp/small', 'llama-cpp/own'], dryRun: true });
    expect(removedModels).toEqual([]);
    await clean(context, { model: ['llama-cpp/small', 'llama-cpp/own'] });
    expect(removedModels).toEqual(['llama-cpp/small']);
    expect(said()).toMatch(/^removed +1\.0 kB +model llama-cpp\/small$/m);
  });
});
