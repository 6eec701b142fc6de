import { describe, expect, it } from 'vitest';
import { settingsForProject } from '../../../src/main/settings/settings-for-project.ts';
import { turnOptions } from '../../../src/main/settings/turn-options.ts';
import { runOptionsSchema } from '../../../src/shared/session/run-options.ts';
import { settingsSchema } from '../../../src/shared/settings/settings.ts';

const modelOrder = ['here/small', 'here/large', 'sky/strong'];
const settings = settingsSchema.parse({ policy: 'hybrid', local: 'here/small', cloud: 'sky/strong', modelOrder });
const optionsOf = (run: object) => turnOptions(settings, runOptionsSchema.parse(run));

describe('the options of a turn', () => {
  it('have the order of models in the settings, also when the message only names a policy', () => {
    expect(optionsOf({}).modelOrder).toEqual(modelOrder);
    expect(optionsOf({ policy: 'local', thinking: 'high' }).modelOrder).toEqual(modelOrder);
  });

  /** Catches: a model that was picked for the message while a model of the order answered in its place. */
  it.each([{ local: 'here/other' }, { cloud: 'sky/other' }])('leave the order when the message names %j', (named) => {
    expect(optionsOf(named)).toMatchObject(named);
    expect(optionsOf(named).modelOrder).toBeUndefined();
  });

  it('have the order of the message before all', () => {
    const own = { local: 'here/other', modelOrder: ['here/other', 'sky/strong'] };
    expect(optionsOf(own).modelOrder).toEqual(own.modelOrder);
  });
});

describe('the settings for a project', () => {
  /** Catches: a project without a cloud model whose work went to the cloud models of the general order. */
  it('have no order of the general models where the project has its own', () => {
    const inProject = (own: object) =>
      settingsForProject(settingsSchema.parse({ ...settings, projectModels: { '/a': own } }), '/a').modelOrder;
    expect(inProject({ cloud: null })).toBeUndefined();
    expect(inProject({ local: 'here/other' })).toBeUndefined();
    expect(inProject({ policy: 'local' })).toEqual(modelOrder);
    expect(settingsForProject(settings, '/b').modelOrder).toEqual(modelOrder);
  });
});
