import { spawnSync } from 'node:child_process';

/** For `describe.skipIf`: some machines have no git of their own. CI has one, so that its absence there is a failure. */
export const isWithoutGit =
  process.env['CI'] === undefined && spawnSync('git', ['--version'], { stdio: 'ignore' }).status !== 0;
