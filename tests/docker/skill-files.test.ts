import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carrySkill } from '../../src/main/skills/session-skills.ts';
import { isWithoutEngine, none, output, startSandbox, type DockerUnderTest } from './docker-kit.ts';

describe.skipIf(isWithoutEngine)('a skill of the home in a container', () => {
  let under: DockerUnderTest;
  beforeAll(async () => {
    under = await startSandbox();
  });
  afterAll(() => under.close());

  const long = `${'deep/'.repeat(25)}${'n'.repeat(60)}.txt`;
  const files = (said: string) =>
    new Map([
      ['SKILL.md', Buffer.from('x')],
      ['scripts/it’s here.sh', Buffer.from(`echo ${said}`)],
      [long, Buffer.from('far')],
      ['big.bin', Buffer.alloc(700_000, 7)],
    ]);

  it('lies outside the workspace, runs there, and cannot be changed', async () => {
    for (const said of ['one', 'two']) {
      const folder = await carrySkill(under.sandbox, 'greet', files(said), none);
      expect(folder).toBe(`${under.sandbox.scratchPath}/skills/greet`);
      expect(await output(under.sandbox, `cd ${folder} && sh "scripts/it’s here.sh"`)).toBe(`${said}\n`);
      expect(await output(under.sandbox, `cat ${folder}/${long} && wc -c < ${folder}/big.bin`)).toBe('far700000\n');
      await output(under.sandbox, `echo y >> ${folder}/SKILL.md; echo y > ${folder}/new; true`);
      expect(await output(under.sandbox, `cat ${folder}/SKILL.md; ls ${folder}`)).toMatch(/^xSKILL\.md\n(?!.*new)/su);
    }
    expect(await output(under.sandbox, 'ls')).toBe('');
  });
});
