import type { Vote } from '../define.ts';
import { defineRule } from '../define.ts';

/** Words say little about what a model can do, so their weight is small. */
export default defineRule({
  id: 'task-words',
  vote({ taskRiskyWords = 0, taskRoteWords = 0, taskFiles = 0, taskIsQuestion = 0 }) {
    const votes: Omit<Vote, 'rule'>[] = [];
    if (taskRiskyWords > 0) {
      const weight = Math.min(1.2, 0.6 * taskRiskyWords);
      votes.push({ toward: 'cloud', weight, reason: 'Small models often get this kind of task wrong.' });
    }
    if (taskRoteWords > 0) votes.push({ toward: 'local', weight: 0.8, reason: 'The task is routine work.' });
    if (taskFiles > 2) votes.push({ toward: 'cloud', weight: 0.5, reason: `The task names ${taskFiles} files.` });
    if (taskIsQuestion === 1) votes.push({ toward: 'local', weight: 0.5, reason: 'The task is a question.' });
    return votes;
  },
});
