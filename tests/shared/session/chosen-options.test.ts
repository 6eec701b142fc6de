import { expect, it } from 'vitest';
import { chosenOptions, withLastChosen } from '../../../src/shared/session/chosen-options.ts';
import { runOptionsSchema } from '../../../src/shared/session/run-options.ts';
import { createAgentKit, turnOptions } from '../../fakes/agent-kit.ts';

const sky = { policy: 'cloud', cloud: 'sky/model', thinking: 'high', mode: 'ask', assistant: 'ada' } as const;

it('the chosen options of a message hold only what it chose, not the settings', () => {
  expect(chosenOptions(runOptionsSchema.parse({ ...sky, maxSteps: 3 }))).toEqual(sky);
  expect(chosenOptions(runOptionsSchema.parse({}))).toEqual({});
});

// Bug: after a restart, a fork or from another command, a session had forgotten its model.
it('the chosen options of a message are kept for the next one by the log', async () => {
  const kit = createAgentKit({ replies: [{ text: 'Hello.' }] });
  await (
    await kit.runner.post('Hi', turnOptions, { chosen: sky })
  ).ended;
  expect(kit.journal.state().chosen).toEqual(sky);
  expect(withLastChosen({ mode: 'work' }, kit.journal.state().chosen)).toEqual({ ...sky, mode: 'work' });
});

// Bug: a session under the policy cloud went on here when a message named another cloud model.
it('the chosen options of a session are kept except for what a message names', () => {
  expect(withLastChosen({ cloud: 'sky/other' }, sky)).toEqual({ ...sky, cloud: 'sky/other' });
  expect(withLastChosen({ policy: 'local' }, sky)).toEqual({ ...sky, policy: 'local' });
});

it('the chosen options of a session without a message are empty', () => {
  expect(createAgentKit({ replies: [] }).journal.state().chosen).toEqual({});
});
