import { createLogFold } from '../../sessions/journal/log-fold.ts';
import { createSessionAnswers } from '../../safety/session-answers.ts';

/** The questions that the user was asked in this session, with the answers. Read once, then kept up with the log. */
export const answersSoFar = createLogFold(createSessionAnswers, (answers, event) => answers.add(event));
