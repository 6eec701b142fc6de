import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { HostPrograms } from '../../src/main/lib/programs/host-programs.ts';
import { createHostPrograms } from '../../src/main/lib/programs/host-programs.ts';

/** Programs of this machine, found as the app finds them. All share one empty folder, which stays for the next run. */
export function testPrograms(env: Readonly<Record<string, string | undefined>> = process.env): HostPrograms {
  return createHostPrograms({ home: join(tmpdir(), `dewpoint-test-programs-${userInfo().uid}`), env });
}
