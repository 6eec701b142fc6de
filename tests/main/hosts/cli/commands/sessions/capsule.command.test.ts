import { describe, expect, it } from 'vitest';
import { capsule } from '../../../../../../src/main/hosts/cli/commands/sessions/capsule.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createFakeHandlers } from '../../../../../fakes/fake-handlers.ts';

/** Catches: a file of somebody else that decides on its own that your files and money go to the cloud. */
describe('a capsule that is run again', () => {
  const again = async (policy: 'local' | 'cloud', said: { readonly policy?: string } = {}): Promise<string> => {
    const unpacked = {
      folder: '/tmp/x',
      files: 1,
      messages: ['Do it.'],
      options: { policy, cloud: 'sky/model' },
      notes: [],
      task: null,
      packages: [],
    };
    const { handlers } = createFakeHandlers({ capsules: { unpack: async () => unpacked } });
    const { context } = commandContext({ handlers });
    return capsule(context, 'run', ['x.capsule'], said).then(
      () => 'it ran',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  };

  it('asks before it takes the cloud, and nobody can say yes where nobody is asked', async () => {
    expect(await again('cloud')).toContain('The cloud needs your approval');
  });

  it('does not ask where it stays here, or where you said it', async () => {
    expect(await again('local')).not.toContain('needs your approval');
    expect(await again('cloud', { policy: 'cloud' })).not.toContain('needs your approval');
  });
});
