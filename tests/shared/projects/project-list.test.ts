import { expect, it } from 'vitest';
import { listProjects, namesApart } from '../../../src/shared/projects/project-list.ts';
import { projectRecordSchema } from '../../../src/shared/projects/project-record.ts';

const record = (given: object) => projectRecordSchema.parse(given);
const at = (project: string | null, updatedAt: number) => ({ project, updatedAt });

it('the list of projects shows those worked on or added, and removed ones only after new work', () => {
  const sessions = [at('/a', 10), at('/b', 40), at('/a', 30), at(null, 50), at('/gone', 20), at('/back', 21)];
  const removed = { '/gone': 20, '/back': 20 };
  const listed = listProjects(sessions, { added: ['/new', '/a'], removed, records: {} });
  expect(listed.map(({ path, sessions: count, lastAt }) => [path, count, lastAt])).toEqual([
    ['/b', 1, 40],
    ['/a', 2, 30],
    ['/back', 1, 21],
    ['/new', 0, null],
  ]);
  expect(listed[0]).toMatchObject({ name: 'b', icon: null, id: null, folder: '/b' });
});

it('the list of projects shows those of the user by their names, with and without a folder, two of one name apart', () => {
  const records = {
    aaaaaaaa: record({ name: 'Steuer 税', icon: { text: '📚' } }),
    bbbbbbbb: record({ name: 'Steuer 税', folder: '/taxes' }),
    cccccccc: record({ folder: '/plain' }),
  };
  const listed = listProjects([at('project:aaaaaaaa', 5), at('/taxes', 9)], { added: [], removed: {}, records });
  expect(listed.map(({ path, name, folder, sessions }) => ({ path, name, folder, sessions }))).toEqual([
    { path: '/taxes', name: 'Steuer 税', folder: '/taxes', sessions: 1 },
    { path: 'project:aaaaaaaa', name: 'Steuer 税', folder: null, sessions: 1 },
    { path: '/plain', name: 'plain', folder: '/plain', sessions: 0 },
  ]);
  expect(listed[1]?.icon).toEqual({ text: '📚', color: 'gray' });
});

// Catches: two entries of one name that only a pointer tells apart.
it('the names of projects beside each other say where those of one name lie, as short as it goes', () => {
  const named = (path: string, name = path.split(/[/\\]/u).at(-1) ?? '') => ({ path, name });
  const names = (...projects: readonly ReturnType<typeof named>[]) => [...namesApart(projects).values()];
  expect(names(named('/a/one/shop'), named('/a/two/shop'), named('/a/core'))).toEqual([
    'shop (one)',
    'shop (two)',
    'core',
  ]);
  expect(names(named('/x/web/src'), named('/y/web/src'))).toEqual(['src (x/web)', 'src (y/web)']);
  expect(names(named('/shop'), named('/shop/shop'))).toEqual(['shop (/shop)', 'shop (shop)']);
  expect(names(named('C:\\one\\shop'), named('C:\\two\\shop'))).toEqual(['shop (one)', 'shop (two)']);
  expect(names(named('project:abc', 'Tax'), named('/home/tax26', 'Tax'))).toEqual(['Tax (abc)', 'Tax (tax26)']);
});
