import { expect, it } from 'vitest';
import { asksToDraw } from '../../../src/shared/text/task-kind.ts';

/** Catches: a requested chart that cannot be drawn because the tool was not offered. */
it.each([
  'Plot the response times of the last week.',
  'Show me a bar chart of lines per file.',
  'Draw a diagram of the modules.',
  'Give me the results as a table.',
  'Compare both runs in a table',
  'Visualize the dependencies',
  'Zeichne ein Balkendiagramm der Dateigrößen.',
  'Muéstrame un gráfico de las ventas.',
  '画一个图表',
])('a request to draw is recognized: %s', (text) => {
  expect(asksToDraw(text)).toBe(true);
});

/** Catches: a drawing tool in the prompts of most tasks, because of words that are about code. */
it.each([
  'Fix the failing test in dates.py.',
  'Add a column to the users table in schema.sql.',
  'Rename graph_walk to walk_graph.',
  'Why does the build fail?',
])('a request to draw is not seen in: %s', (text) => {
  expect(asksToDraw(text)).toBe(false);
});
