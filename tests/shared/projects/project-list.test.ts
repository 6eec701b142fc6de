import { expect, it } from 'vitest';
import { listProjects } from '../../../src/shared/projects/project-list.ts';

it('the list of projects shows those worked on or added, and removed ones only after new work', () => {
  const at = (projectPath: string | null, updatedAt: number) => ({ projectPath, updatedAt });
  const sessions = [at('/a', 10), at('/b', 40), at('/a', 30), at(null, 50), at('/gone', 20), at('/back', 21)];
  const listed = listProjects(sessions, { added: ['/new', '/a'], removed: { '/gone': 20, '/back': 20 } });
  expect(listed).toEqual([
    { path: '/b', sessions: 1, lastAt: 40 },
    { path: '/a', sessions: 2, lastAt: 30 },
    { path: '/back', sessions: 1, lastAt: 21 },
    { path: '/new', sessions: 0, lastAt: null },
  ]);
});
