import { describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { command, change, complete, createProgram, type Ended, ofType, type Program } from './program.ts';

/** Passes the task on stdin, which can contain what an argument cannot. */
async function runTask(program: Program, task: string): Promise<Ended> {
  return program.run(['run', '--project', program.project, '--json', '-'], { stdin: task });
}

const textOf = ({ events }: Ended): string | undefined => ofType(events, 'user-message-added')[0]?.text;

/** Characters that must not reach a terminal: control characters other than line breaks and tabs. */
// eslint-disable-next-line no-control-regex -- these are what must not be there
const unsafe = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/u;

describe.skipIf(isWithoutEngine)('a task', () => {
  it('is refused before anything begins when it is empty or white space', async () => {
    await using program = await createProgram();
    await program.script([complete()]);
    for (const task of ['', ' \n\t ', '\u3000\u2003']) {
      const end = await runTask(program, task);
      expect(end).toMatchObject({ code: 2, stdout: '' });
      expect(end.stderr).toContain('The task is empty.');
    }
    expect((await program.run(['run', '--project', program.project, '']))?.code).toBe(2);
    expect(await program.sessionIds()).toEqual([]);
  });

  it('is refused with advice at 1 MB, and kept whole at 60 kB', async () => {
    await using program = await createProgram();
    await program.script([change(), complete()]);
    const long = await runTask(program, 'Change it. '.repeat(100_000));
    expect(long).toMatchObject({ code: 2, stdout: '' });
    expect(long.stderr).toContain('Put long texts into a file');
    expect(await program.sessionIds()).toEqual([]);
    const text = 'Change the file so. '.repeat(3000);
    const end = await runTask(program, text);
    expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code: 0 });
    expect(textOf(end)).toBe(text);
  });

  it('in Chinese and other scripts is kept and shown unchanged', async () => {
    await using program = await createProgram();
    await program.script([complete('完成了：修复了 🙂 é e\u0301 العربية。')]);
    const text = '修复 calculator 中的错误。מה? 🇩🇪👩‍👩‍👧 ﷽ — e\u0301';
    const end = await runTask(program, text);
    expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code: 0 });
    expect(textOf(end)).toBe(text);
    const shown = await program.run(['sessions', 'show', 'last']);
    expect(shown.stdout).toContain(text);
    expect(shown.stdout).toContain('完成了：修复了 🙂 é e\u0301 العربية。');
    expect((await program.run(['sessions', 'list'])).stdout).toContain('修复 calculator');
  });

  it('with control characters is kept exactly, and shown without them', async () => {
    await using program = await createProgram();
    const nasty = 'a\u001b[2Jb\u001b]0;title\u0007c\u0000d\u0008e\rf\u009bg\u202eh\u2066i';
    await program.script([
      {
        text: `I say ${nasty}`,
        toolCalls: [{ name: 'run_command', input: { command: String.raw`printf 'x\033[31m\007\000y'` } }],
      },
      change(),
      complete(nasty),
    ]);
    const text = `Change it. ${nasty}\n\tand this`;
    const end = await runTask(program, text);
    expect(end.code).toBe(0);
    expect(textOf(end)).toBe(text);
    expect(end.stderr).not.toMatch(unsafe);
    const [id = ''] = await program.sessionIds();
    expect(ofType(await program.log(id), 'user-message-added')[0]?.text).toBe(text);
    for (const args of [
      ['sessions', 'show', id],
      ['sessions', 'list'],
      ['changes', id],
    ]) {
      const shown = await program.run(args);
      expect(shown.code).toBe(0);
      expect(shown.stdout + shown.stderr).not.toMatch(unsafe);
    }
    const plain = await program.run(['run', '--project', program.project, '-'], { stdin: text });
    expect(plain.stdout + plain.stderr).not.toMatch(unsafe);
    expect((await program.run(['replay', id])).code).toBe(0);
  });

  it('with line separators stays one event in one line', async () => {
    await using program = await createProgram();
    await program.script([
      command(String.raw`printf 'a\342\200\250b\342\200\251c\302\205d\n'`),
      change(),
      complete('x\u2028y\u2029z\u0085'),
    ]);
    const text = 'Change\u2028the\u2029file\u0085now.';
    const end = await runTask(program, text);
    expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code: 0 });
    expect(textOf(end)).toBe(text);
    const lines = end.stdout.trimEnd().split(/\r\n|[\n\r\u2028\u2029\u0085]/u);
    expect(lines).toHaveLength(end.events.length);
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
    expect(ofType(end.events, 'tool-ended').find(({ tool }) => tool === 'run_command')?.output).toContain(
      'a\u2028b\u2029c\u0085d',
    );
  });

  it('that holds a key keeps it out of the log', async () => {
    await using program = await createProgram();
    await program.script([complete()]);
    const key = `ghp_${'a1B2c3D4e5'.repeat(4)}`;
    const end = await runTask(program, `Change the remote to use ${key} please.`);
    expect(textOf(end)).toMatch(/^Change the remote to use \[redacted:github-token#[0-9a-f]{6}\] please\.$/u);
    expect(end.stdout + end.stderr).not.toContain(key);
  });
});
