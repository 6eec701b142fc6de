import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { SuggestedModel } from '../../../../src/shared/models/model-suggestion.ts';
import { SuggestedModels } from '../../../../src/renderer/features/models/suggested-models.tsx';
import { CoreContext } from '../../../../src/renderer/lib/connection/core-context.ts';
import { createFakeHandlers } from '../../../fakes/fake-handlers.ts';

const better: SuggestedModel = {
  role: 'coding',
  id: 'better',
  label: 'Better 27B',
  quantization: 'Q4_K_M',
  source: 'hf:example/Better-GGUF/Better-27B.gguf',
  model: 'llama-cpp/Better-27B',
  readyAs: null,
  ollama: null,
  sizeBytes: 17.6e9,
  isSizeExact: true,
  license: 'Apache-2.0',
  place: 'card',
  contextTokens: 65_536,
  isContextPlanned: true,
  decodePerSecond: null,
  prefillPerSecond: null,
  speedNote: null,
  why: 'The best that fits.',
  scores: [],
  limits: [],
  notes: [],
};

function drawn(refused: readonly string[]): string {
  const queries = new QueryClient();
  queries.setQueryData(['host'], { isWindow: false, refused, roots: [] });
  queries.setQueryData(['models', 'suggested'], { models: [better, { ...better, source: 'b', readyAs: 'b/b' }] });
  const { client } = createFakeHandlers({});
  const list = createElement(SuggestedModels, { usedId: 'a/a', onUse: () => undefined });
  const inside = createElement(CoreContext.Provider, { value: client }, list);
  return renderToStaticMarkup(createElement(QueryClientProvider, { client: queries }, inside));
}

// Bug: in a browser that may not change settings, a suggested model was downloaded, and then came a refusal.
it('suggested models can be got and used only where the page may change settings', () => {
  expect(drawn([])).toContain('Get Better 27B');
  expect(drawn([])).toContain('>Use<');
  const viewOnly = drawn(['settings.set']);
  expect(viewOnly).toContain('The best that fits.');
  expect(viewOnly).not.toContain('<button');
});
