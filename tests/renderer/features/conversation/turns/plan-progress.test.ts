import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { PlanList } from '../../../../../src/renderer/features/conversation/turns/plan-progress.tsx';
import type { ShownItem } from '../../../../../src/renderer/lib/session/turn-timeline.ts';

const drawn = (items: readonly ShownItem[], isOver = false): string =>
  renderToStaticMarkup(createElement(PlanList, { items, isOver }));
const words = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();

it("a plan in progress shows the state of each item in words, as the model's claim", () => {
  const html = drawn([
    { text: 'Read it', state: 'done' },
    { text: 'Change it', state: 'working' },
    { text: 'Test <it>', state: 'open' },
    { text: 'Ask', state: 'dropped' },
  ]);
  expect(html).toContain('aria-label="Plan tasks"');
  expect(words(html)).toBe(
    'Plan tasks 1 of 4 done, says the model Read it done 2 Change it working 3 Test &lt;it&gt; open 4 Ask dropped',
  );
});

it('a plan without reported progress shows no state', () => {
  const html = drawn([
    { text: 'Read it\nand more', state: null },
    { text: 'Change it', state: null },
  ]);
  expect(words(html)).toBe('Plan tasks 1 Read it 2 Change it');
});

it("a plan's item that was under way when the turn ended is shown as started", () => {
  expect(words(drawn([{ text: 'Read it', state: 'working' }], true))).toContain('1 Read it started');
});
