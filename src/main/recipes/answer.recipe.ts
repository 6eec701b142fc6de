import { isSmallTalk } from '@shared/text/task-kind.ts';
import { defineRecipe } from './define.ts';
import { answerQuestion } from './answer/answer-question.ts';
import { isQuestion } from './context/question-shape.ts';

export default defineRecipe({
  id: 'answer',
  label: 'Answer a question about the project',
  fits: (subject) => {
    if (subject.plan) return { score: 0.9, reason: 'Only a plan is wanted.' };
    if (subject.criterion?.source === 'option') return null;
    if (isSmallTalk(subject.task)) return { score: 0.97, reason: 'The text asks for nothing.' };
    if (isQuestion(subject.task))
      return { score: 0.97, reason: 'The text asks to be told something; nothing is to be changed.' };
    if (!subject.canExecute)
      return { score: 0.3, reason: 'Without a sandbox nothing can be changed; the project can still be read.' };
    return null;
  },
  run: answerQuestion,
});
