import advise from '../../../../resources/prompts/advise.md?raw';
import answerFromResult from '../../../../resources/prompts/answer-from-result.md?raw';
import chat from '../../../../resources/prompts/chat.md?raw';
import chatDrawing from '../../../../resources/prompts/chat-drawing.md?raw';
import chatTools from '../../../../resources/prompts/chat-tools.md?raw';
import checkInTalk from '../../../../resources/prompts/check-in-talk.md?raw';
import chooseInTalk from '../../../../resources/prompts/choose-in-talk.md?raw';
import chooseTool from '../../../../resources/prompts/choose-tool.md?raw';
import loopFull from '../../../../resources/prompts/loop-full.md?raw';
import loopShort from '../../../../resources/prompts/loop-short.md?raw';
import plan from '../../../../resources/prompts/plan.md?raw';
import planAhead from '../../../../resources/prompts/plan-ahead.md?raw';
import readOnly from '../../../../resources/prompts/read-only.md?raw';
import review from '../../../../resources/prompts/review.md?raw';
import reviewProgram from '../../../../resources/prompts/review-program.md?raw';
import summarize from '../../../../resources/prompts/summarize.md?raw';
import title from '../../../../resources/prompts/title.md?raw';

/** The fixed texts of the prompts. They are in `resources/prompts`, so that they can be read without the code. */
export const promptTexts = {
  advise: advise.trim(),
  answerFromResult: answerFromResult.trim(),
  chat: chat.trim(),
  chatDrawing: chatDrawing.trim(),
  chatTools: chatTools.trim(),
  checkInTalk: checkInTalk.trim(),
  chooseInTalk: chooseInTalk.trim(),
  chooseTool: chooseTool.trim(),
  loopFull: loopFull.trim(),
  loopShort: loopShort.trim(),
  plan: plan.trim(),
  planAhead: planAhead.trim(),
  readOnly: readOnly.trim(),
  review: review.trim(),
  reviewProgram: reviewProgram.trim(),
  summarize: summarize.trim(),
  title: title.trim(),
} as const;
