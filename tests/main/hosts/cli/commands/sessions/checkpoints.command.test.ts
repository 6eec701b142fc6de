import { describe, expect, it } from 'vitest';
import type { Checkpoint, RestoreChoice } from '@shared/contract/sessions-contract.ts';
import {
  checkpoints,
  restoreSession,
  type RestoreArguments,
} from '../../../../../../src/main/hosts/cli/commands/sessions/checkpoints.command.ts';
import { library } from '../../../../../../src/main/hosts/cli/commands/sessions/session-library.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../../../fakes/scripted-core.ts';

const at = 1_795_900_000_000;
const listed: readonly Checkpoint[] = [
  { id: 'message-1', type: 'message', step: null, at, text: 'Fix it', files: 2, isSetAside: false },
  { id: 'call-1', type: 'step', step: 1, at, text: 'edit a.py', files: 1, isSetAside: true },
  { id: 'call-2', type: 'step', step: 2, at, text: 'edit b.py', files: 0, isSetAside: false },
];

function session(points: readonly Checkpoint[] = listed) {
  const core = createScriptedCore();
  const sessionId = core.createSession({ projectPath: '/p' });
  const asked: RestoreChoice[] = [];
  core.replace({
    changes: {
      checkpoints: () => points,
      restore: ({ input }) => {
        const { checkpoint, files, conversation, replaces, isPreview } = input;
        const choice = { checkpoint, files, conversation, replaces, isPreview };
        asked.push(choice);
        const kept = [{ path: 'b.py', why: 'it was changed since' }];
        const restoreId = choice.isPreview === true ? null : 'restore-7';
        return { restored: ['a.py'], merged: ['a.py'], kept, messages: 1, restoreId };
      },
    },
  });
  const { context, said } = commandContext(core);
  const restore = (named: string, args: RestoreArguments = {}) => restoreSession(context, sessionId, named, args);
  return { said, asked, context, restore, list: () => checkpoints(context, sessionId, {}) };
}

describe('the checkpoints of a session', () => {
  it('are listed with their id, what they are, and the files changed since', async () => {
    const { said, list } = session();
    expect(await list()).toBe(0);
    expect(said.out.split('\n').map((line) => line.replaceAll(/ {2,}/gu, '|').replace(/\|[\d-]+ [\d:]+/u, ''))).toEqual(
      [
        'message-1|message|2 files since|Fix it',
        'call-1|step 1|1 file since|edit a.py|(not in the conversation)',
        'call-2|step 2|0 files since|edit b.py',
        '',
      ],
    );
  });
});

describe('a restore in the terminal', () => {
  // Bug: without a checkpoint it looked for the session in the bin, and said that it is not there.
  it('of files without a checkpoint asks for one', async () => {
    const { context } = session();
    await expect(library(context, 'restore', ['last'], { files: true })).rejects.toThrow('Name the checkpoint');
  });

  it('takes both when nothing is named, and a number as a step', async () => {
    const { said, asked, restore } = session();
    expect(await restore('2')).toBe(1);
    expect(asked).toEqual([
      { checkpoint: 'call-2', files: true, conversation: true, replaces: false, isPreview: false },
    ]);
    expect(said.out).toBe('restored a.py, with what changed in it since\n1 message left the conversation\n');
    expect(said.err).toContain('kept b.py: it was changed since\n');
    expect(said.err).toContain('Git commits stay as they are.\n');
    expect(said.err).toContain('restore-7');
  });

  it('takes the files alone or the conversation alone, and only tells what it would do', async () => {
    const { said, asked, restore } = session();
    await restore('message-1', { files: true, replace: true });
    await restore('message-1', { conversation: true, dryRun: true });
    expect(asked.map(({ files, conversation, replaces }) => [files, conversation, replaces])).toEqual([
      [true, false, true],
      [false, true, false],
    ]);
    expect(said.out).toContain('would restore a.py');
  });

  it('refuses a step that is not in the conversation any more', async () => {
    const { restore } = session();
    await expect(restore('1')).rejects.toMatchObject({ message: expect.stringContaining('has no step 1') });
    await expect(restore('1')).rejects.toMatchObject({
      hint: expect.stringContaining('dewpoint sessions checkpoints'),
    });
  });

  it('leaves it to the core to say that there is no checkpoint yet', async () => {
    const { asked, restore } = session([]);
    await restore('3');
    expect(asked).toMatchObject([{ checkpoint: '3' }]);
  });
});
