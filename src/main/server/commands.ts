import { AppError } from '@shared/errors.ts';
import type { Handlers } from './handlers.ts';

const refuse = (): never => {
  throw new AppError('refused', 'This is only there in the app.');
};

/** The core has no window. A host that has one answers these itself (`forward-router.ts`). */
export const hostCommands: Handlers['host'] = {
  info: () => ({ isWindow: false, refused: [] }),
  chooseFolder: refuse,
  chooseModelFile: refuse,
  chooseProgram: refuse,
  takeScreenshot: refuse,
  exportSession: refuse,
  exportSessions: refuse,
  importSession: refuse,
  openWindow: refuse,
  keepView: refuse,
  openFile: refuse,
  openSignIn: refuse,
  endpoint: refuse,
  switchEndpoint: refuse,
  editors: refuse,
  pushes: refuse,
};
