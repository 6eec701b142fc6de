import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allViews } from '../../../../src/renderer/lib/window/all-views.ts';

const page = 'src/renderer';
const drawsOver =
  /<(?:Alert)?Dialog\.Content|<DialogFrame|<DropdownMenu\.Content|<Popover\.Content|role="(?:alert)?dialog"|<dialog/u;
/** The first draws only a row of the conversation, the second only the frame of other files. */
const rows = ['features/conversation/row-view.tsx', 'ui/layout/dialog-frame.tsx'];
/** A page that has lost its core cannot go to another view, so `tests/electron/status-bar.test.ts` tests it. */
const last = 'features/status/status-bar.tsx';
const isView = /-(?:view|tab|editor)\.tsx$/u;

/** Catches: a view, dialog or menu that the tests of all views leave out. */
it('the list of all views names every file that draws a view, a dialog or a menu', () => {
  const files = globSync('{features,ui}/**/*.tsx', { cwd: page }).filter((path) => !rows.includes(path));
  const drawing = files.filter(
    (path) =>
      (path.startsWith('features') && isView.test(path)) || drawsOver.test(readFileSync(join(page, path), 'utf8')),
  );
  const named: readonly string[] = Object.values(allViews);
  expect(drawing.length).toBeGreaterThan(10);
  expect(drawing.filter((path) => !named.includes(path))).toEqual([last]);
  expect(named.filter((path) => !existsSync(join(page, path)))).toEqual([]);
});
