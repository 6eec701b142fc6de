import { expect, it } from 'vitest';
import {
  currentChoice,
  followDefaults,
  keepChoice,
  keptOptions,
  nextTaskChoice,
  optionsOfChoice,
  readChoice,
} from '../../../../src/renderer/lib/models/session-choice.ts';

const nothing = { pick: { policy: null }, mode: null, assistant: null };

// Bug: a session forgot its model after a restart and in a fork, and its mode whenever it was opened.
it('the model and mode of a session are those chosen last in its log', () => {
  const chosen = { policy: 'cloud', cloud: 'sky/model', thinking: 'high', mode: 'ask', assistant: 'ada' } as const;
  expect(currentChoice('restarted', { chosen, turns: [] })).toEqual({
    pick: { policy: 'cloud', cloud: 'sky/model', thinking: 'high' },
    mode: 'ask',
    assistant: 'ada',
  });
  expect(currentChoice('old', { chosen: {}, turns: [] })).toEqual(nothing);
});

// Bug: a new task began with the model of the settings, and buttons such as "Send again" did, too.
it('the model and mode chosen in the window are kept for the next task and every button', () => {
  const choice = { pick: { policy: 'local', local: 'fake/model' }, mode: 'work', assistant: null } as const;
  keepChoice('here', nothing, { change: choice });
  expect(currentChoice('here', { chosen: {}, turns: [] })).toEqual(choice);
  expect(nextTaskChoice.get()).toEqual(choice);
  expect(keptOptions('here')).toEqual({ policy: 'local', local: 'fake/model', mode: 'work' });
  expect(keptOptions('never shown')).toEqual({});
});

// Bug: the assistant of a project answered in every next task elsewhere.
it('what a project chose for its talks is no choice for the next task, and what the person changes there is', () => {
  const inProject = { ...nothing, mode: 'ask', assistant: 'teacher' } as const;
  nextTaskChoice.set(nothing);
  keepChoice('talk', inProject, { project: 'abc' });
  expect(nextTaskChoice.get()).toEqual(nothing);
  const pick = { policy: 'local', local: 'fake/model' } as const;
  keepChoice('talk', inProject, { project: 'abc', change: { pick } });
  expect(nextTaskChoice.get()).toEqual({ ...nothing, pick });
  expect(currentChoice('talk', { chosen: {}, turns: [], project: 'abc' })).toMatchObject({ ...inProject, pick });
});

// Bug: the model of the last task won over a default that was changed since.
it('the next task follows a changed default model, and keeps the other choices', () => {
  const choice = { pick: { policy: 'local', local: 'fake/model' }, mode: 'work', assistant: 'ada' } as const;
  keepChoice('mine', nothing, { change: choice });
  followDefaults([]);
  followDefaults(['limits.maxSteps']);
  expect(nextTaskChoice.get()).toEqual(choice);
  followDefaults(['local']);
  expect(nextTaskChoice.get()).toEqual({ ...choice, pick: { policy: null } });
  expect(currentChoice('mine', { chosen: {}, turns: [] })).toEqual(choice);
});

// Bug: an order of models was forgotten over a restart.
it('the stored choice for the next task is read whole, and nothing from what somebody else wrote', () => {
  const pick = {
    policy: 'hybrid',
    local: 'a/b',
    cloud: 'sky/c',
    modelOrder: ['a/b', 'sky/c'],
    thinking: 'low',
  } as const;
  const choice = { pick, mode: 'plan', assistant: 'ada' } as const;
  expect(readChoice(JSON.stringify(optionsOfChoice(choice)))).toEqual(choice);
  for (const text of [null, '', '[', '3', '{"policy":"x","modelOrder":[1],"thinking":3,"mode":"?","assistant":{}}'])
    expect(readChoice(text)).toEqual(nothing);
});
