import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { Assistant } from '../../../../src/shared/session/assistants.ts';
import type { ModelEntry } from '../../../../src/shared/contract/models-contract.ts';
import { CoreContext } from '../../../../src/renderer/lib/connection/core-context.ts';
import type { UsualModels } from '../../../../src/renderer/lib/models/model-options.ts';
import type { SessionChoice } from '../../../../src/renderer/lib/models/session-choice.ts';
import { useNextModel } from '../../../../src/renderer/lib/models/use-next-model.ts';
import { createFakeHandlers } from '../../../fakes/fake-handlers.ts';

const entry = (id: string, label: string, where: 'local' | 'cloud'): ModelEntry => ({
  id,
  label,
  where,
  state: 'ready',
  sizeBytes: null,
  license: null,
  info: null,
  note: null,
});

const models = [
  entry('llama-cpp/small', 'Small', 'local'),
  entry('sky/large', 'Large', 'cloud'),
  entry('shed/large', 'Large', 'local'),
];
const usual: UsualModels = {
  policy: 'local',
  local: 'llama-cpp/small',
  cloud: 'sky/large',
  order: ['llama-cpp/small', 'sky/large'],
};
const ada: Assistant = { name: 'ada', text: 'You are Ada.', model: 'sky/large' };
const nothing: SessionChoice = { pick: { policy: null }, mode: null, assistant: null };

/** What the status bar names as the next model. Null: nothing yet. */
function nextName(choice: SessionChoice, known: UsualModels | null = usual): string | null {
  const queries = new QueryClient();
  queries.setQueryData(['models'], models);
  queries.setQueryData(['assistants'], { assistants: [ada], problems: [] });
  if (known !== null) queries.setQueryData(['models', 'usual', 'code/app'], known);
  function Probe() {
    return createElement('p', null, useNextModel(choice, 'code/app')?.name);
  }
  const { client } = createFakeHandlers({});
  const inside = createElement(CoreContext.Provider, { value: client }, createElement(Probe));
  const html = renderToStaticMarkup(createElement(QueryClientProvider, { client: queries }, inside));
  return html.replaceAll(/<[^>]*>/gu, '') || null;
}

/** Catches: a status bar that names another model than the one that answers. */
describe('the next model', () => {
  it('is the one of the settings without a choice, and unknown while they are loading', () => {
    expect(nextName(nothing)).toBe('Small');
    expect(nextName(nothing, { ...usual, policy: 'cloud' })).toBe('Large (sky)');
    expect(nextName(nothing, { ...usual, policy: 'hybrid' })).toBe('Auto');
    expect(nextName({ ...nothing, pick: { policy: 'cloud', cloud: 'sky/large' } }, null)).toBeNull();
  });

  it('is the chosen one, with its provider where two have the same name', () => {
    expect(nextName({ ...nothing, pick: { policy: 'local', local: 'shed/large' } })).toBe('Large (shed)');
    expect(nextName({ ...nothing, pick: { policy: 'cloud', cloud: 'sky/gone' } })).toBe('sky/gone');
    expect(nextName({ ...nothing, pick: { policy: 'cloud' } })).toBe('Large (sky)');
  });

  it("is the assistant's model, unless another one is chosen or the assistant is gone", () => {
    expect(nextName({ ...nothing, assistant: 'ada' })).toBe('Large (sky)');
    expect(nextName({ ...nothing, pick: { policy: 'local' }, assistant: 'ada' })).toBe('Small');
    expect(nextName({ ...nothing, assistant: 'gone' })).toBe('Small');
  });
});
