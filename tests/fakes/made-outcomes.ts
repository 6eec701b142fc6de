import type { TaskOutcome } from '../../src/shared/routing/outcomes.ts';

let made = 0;

/** A judged task of a local model in project `p`, unless something else is said. Each has an id of its own. */
export function madeOutcome(more: Partial<TaskOutcome> = {}): TaskOutcome {
  made += 1;
  const first = more.first ?? { model: 'here', version: '', where: 'local' };
  const solved = more.solved === undefined ? true : more.solved;
  const { model, version } = first;
  return {
    id: `task ${made}`,
    at: 0,
    project: 'p',
    language: '',
    kind: 'repair',
    solved,
    by: solved === null ? null : 'check',
    policy: 'local',
    first,
    fails: null,
    hasCloudTried: first.where === 'cloud',
    usd: null,
    seconds: null,
    work: [{ model, version, purpose: 'act', solved: solved === true, calls: 2, written: 200 }],
    ...more,
  };
}
