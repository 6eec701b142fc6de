import { isSmallTalk } from '@shared/text/task-kind.ts';
import { defineRecipe } from './define.ts';
import { answerQuestion } from './answer/answer-question.ts';
import { isQuestionTask } from './context/question-shape.ts';

export default defineRecipe({
  id: 'answer',
  label: 'Answer a question about the project',
  fits: (subject) => {
    if (subject.mode === 'plan') return { score: 0.9, reason: 'Plan only: no files will change.' };
    if (subject.check?.source === 'option') return null;
    if (isSmallTalk(subject.task)) return { score: 0.97, reason: 'Small talk: there is no task.' };
    if (isQuestionTask(subject)) return { score: 0.97, reason: 'Question: no files will change.' };
    if (!subject.canExecute) return { score: 0.3, reason: 'No sandbox: the project can only be read.' };
    return null;
  },
  run: answerQuestion,
});
