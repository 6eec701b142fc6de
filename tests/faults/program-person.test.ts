import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { startHeldModel, type HeldAnswer } from './held-model.ts';
import { command, complete, createProgram, type Ended, ofType, type Program, tool } from './program.ts';

const read = tool('read_file', { path: 'a.txt' });
const held = (name: string, input: unknown): HeldAnswer => ({ ...tool(name, input), isHeld: true });
const edit = held('edit_file', { path: 'a.txt', old: 'one', new: 'of the model' });
const write = held('write_file', { path: 'a.txt', content: 'of the model\n' });
const remove = held('delete_file', { path: 'a.txt' });

/** Lets the model read `a.txt`, lets the person act, then releases the model's held answer. */
async function whileItWorks(
  program: Program,
  answers: readonly HeldAnswer[],
  act: () => Promise<void>,
): Promise<Ended> {
  await using model = await startHeldModel(answers);
  await program.settings(model.settings);
  const running = program.startTask();
  await running.until('tool-ended', (event) => event.tool === 'read_file');
  await act();
  model.release();
  return await running.ended;
}

describe.skipIf(isWithoutEngine)('a change of a person during the run', () => {
  it.each([
    ['edit_file', edit],
    ['write_file', write],
    ['delete_file', remove],
  ])('is kept, and %s of the model is refused with the reason', async (name, act) => {
    await using program = await createProgram({ 'a.txt': 'one\n' });
    const answers = [read, act, complete('I left it.')];
    const end = await whileItWorks(program, answers, () => program.put('a.txt', 'one, by the person\n'));
    const ended = ofType(end.events, 'tool-ended').find((event) => event.tool === name);
    expect(ended?.status).toBe('error');
    expect(ended?.output).toMatch(/changed/);
    expect(ofType(end.events, 'file-changed')).toEqual([]);
    expect(await program.text('a.txt')).toBe('one, by the person\n');
  });

  it("is kept beside the model's change after a new read, and by undo", async () => {
    await using program = await createProgram({ 'a.txt': 'one\ntwo\n' });
    const answers = [read, edit, read, edit, complete()];
    const end = await whileItWorks(program, answers, () => program.put('a.txt', 'one\ntwo, by the person\n'));
    expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code: 0 });
    expect(await program.text('a.txt')).toBe('of the model\ntwo, by the person\n');
    expect((await program.run(['changes', 'last', 'undo'])).code).toBe(0);
    expect(await program.text('a.txt')).toBe('one\ntwo, by the person\n');
  });

  it('that deletes the file is not reverted by the model', async () => {
    await using program = await createProgram({ 'a.txt': 'one\n' });
    const answers = [read, edit, complete('It is gone.')];
    const end = await whileItWorks(program, answers, () => rm(join(program.project, 'a.txt')));
    expect(ofType(end.events, 'tool-ended').find((event) => event.tool === 'edit_file')?.status).not.toBe('ok');
    expect(ofType(end.events, 'file-changed')).toEqual([]);
    expect(await program.text('a.txt')).toBeNull();
  });

  it('that renames the file is reported to the model, and the renamed file stays the same', async () => {
    await using program = await createProgram({ 'a.txt': 'one\n' });
    const end = await whileItWorks(program, [read, write, complete('It is gone.')], () =>
      rename(join(program.project, 'a.txt'), join(program.project, 'b.txt')),
    );
    const ended = ofType(end.events, 'tool-ended').find((event) => event.tool === 'write_file');
    expect(ended?.status).toBe('error');
    expect(await program.text('b.txt')).toBe('one\n');
    expect(await program.text('a.txt')).toBeNull();
  });

  it('that makes the file before the model does is kept', async () => {
    await using program = await createProgram({ 'a.txt': 'one\n' });
    const answers = [read, held('write_file', { path: 'new.txt', content: 'of the model\n' }), complete()];
    const end = await whileItWorks(program, answers, () => program.put('new.txt', 'by the person\n'));
    expect(ofType(end.events, 'tool-ended').find((event) => event.tool === 'write_file')?.status).toBe('error');
    expect(await program.text('new.txt')).toBe('by the person\n');
  });

  it('between two commands is not counted as a change of the model', async () => {
    await using program = await createProgram({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const again = { ...command('echo again > b.txt'), isHeld: true };
    const answers = [command('echo changed > b.txt'), read, again, complete()];
    const end = await whileItWorks(program, answers, () => program.put('a.txt', 'by the person\n'));
    expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code: 0 });
    expect(ofType(end.events, 'file-changed').map(({ path }) => path)).toEqual(['b.txt', 'b.txt']);
    expect((await program.run(['changes', 'last', 'undo'])).code).toBe(0);
    expect(await program.text('a.txt')).toBe('by the person\n');
    expect(await program.text('b.txt')).toBe('two\n');
  });

  it.each([
    ['edits', (program: Program) => program.put('a.txt', 'by the person\n'), 'by the person\n'],
    ['deletes', (program: Program) => rm(join(program.project, 'a.txt')), null],
  ])('that %s a changed file after the run is kept by undo, which restores the others', async (_what, act, left) => {
    await using program = await createProgram({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    await program.script([command('for f in a.txt b.txt; do echo changed > $f; done'), complete()]);
    expect((await program.startTask().ended).code).toBe(0);
    await act(program);
    const undone = await program.run(['changes', 'last', 'undo']);
    expect(undone).toMatchObject({ code: 1, stdout: 'undone b.txt\n' });
    expect(undone.stderr).toContain('not changed a.txt');
    expect(await program.text('a.txt')).toBe(left);
    expect(await program.text('b.txt')).toBe('two\n');
    const again = await program.run(['changes', 'last', 'undo', 'b.txt']);
    expect(again).toMatchObject({ code: 0, stdout: 'restored b.txt\n' });
    expect(await program.text('b.txt')).toBe('changed\n');
  });
});
