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

it('says the state of each item of a plan in words, and that it is the model that says so', () => {
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

it('says nothing of how far a plan is where nobody said it', () => {
  const html = drawn([
    { text: 'Read it\nand more', state: null },
    { text: 'Change it', state: null },
  ]);
  expect(words(html)).toBe('Plan tasks 1 Read it 2 Change it');
});

it('says of an item that was worked on when the turn ended that it was started, and no more', () => {
  expect(words(drawn([{ text: 'Read it', state: 'working' }], true))).toContain('1 Read it started');
});
