import { AppError } from '@shared/errors.ts';
import { hasNoFolder } from './project-keys.ts';

/** What to do where a project has no folder and something works on files. */
export const giveFolderHint = 'Give it a folder on its page, or: dewpoint projects set PROJECT --folder DIR';

/** Throws `bad-input` for a project without a folder. `what`: what lies in a folder, such as "its rules". */
export function needFolder(key: string | null, what: string): void {
  if (key === null || !hasNoFolder(key)) return;
  throw new AppError(
    'bad-input',
    `This project has no folder, and ${what} would be a file there. Nothing was written.`,
    {
      hint: giveFolderHint,
    },
  );
}
