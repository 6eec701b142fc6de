import { spawnSync } from 'node:child_process';

/** For `describe.skipIf`: some machines have no Git. CI has it, so a missing Git fails the tests there. */
export const isWithoutGit =
  process.env['CI'] === undefined && spawnSync('git', ['--version'], { stdio: 'ignore' }).status !== 0;
