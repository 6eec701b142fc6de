import { expect, it } from 'vitest';
import { readCallDetail } from '../../../../src/main/sessions/history/read-call-detail.ts';
import { canvasLimits } from '../../../../src/shared/tools/canvas.ts';
import type { AgentKit, Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const done = call('task_complete', { summary: 'done' });
const svg = '<svg xmlns="http://www.w3.org/2000/svg"></svg>';
const loop = { ...turnOptions, strategy: 'loop' } as const;
const chart = { kind: 'bar', title: 'Lines', content: 'file,lines\na.ts,3' };

function kitWith(replies: readonly Reply[]): AgentKit {
  return createAgentKit({
    replies,
    sandbox: {
      files: { 'a.svg': svg, 'a.txt': 'x', 'large.png': 'x'.repeat(canvasLimits.imageBytes + 1) },
      exec: ({ command }, sandbox) => {
        if (command === 'python3 plot.py') sandbox.put('plot.svg', svg);
        return {};
      },
    },
  });
}

const toldTools = ({ requests }: AgentKit): readonly string[] => (requests.at(-1)?.tools ?? []).map(({ name }) => name);

/** Catches: a drawing tool that costs tokens in every prompt, and one that is missing in the next message. */
it('the drawing tool is offered once a message asks for it, and from then on', async () => {
  const kit = kitWith([done, done, done]);
  await kit.runner.send('Rename the parser.', loop);
  expect(toldTools(kit)).not.toContain('canvas_render');
  await kit.runner.send('Show me a bar chart of the lines per file.', loop);
  expect(toldTools(kit)).toContain('canvas_render');
  await kit.runner.send('Now rename the parser.', loop);
  expect(toldTools(kit)).toContain('canvas_render');
});

it('the log keeps a drawing, an image with its bytes, and replays without the workspace', async () => {
  const images = ['a.svg', 'a.txt', 'large.png', '../a.svg', 'none.png'];
  const replies = [
    call('canvas_render', chart),
    call('canvas_render', { kind: 'bar', content: 'file,lines\na.ts,many' }),
    ...images.map((content) => call('canvas_render', { kind: 'image', content })),
    done,
  ];
  const kit = kitWith(replies);
  await kit.runner.send('Draw charts.', loop);
  const ended = ofType(kit.journal.events, 'tool-ended').filter(({ tool }) => tool === 'canvas_render');
  expect(ended.map(({ status }) => status)).toEqual(['ok', 'error', 'ok', 'error', 'error', 'error', 'error']);
  expect(ended[0]?.output).toBe('The user sees it: bar chart, 1 × 1. Do not repeat it in words.');
  expect(ended[1]?.output).toContain('Row 1 of "lines" is no number: "many"');
  expect(ended[2]?.data).toEqual({
    picture: { path: 'a.svg', mediaType: 'image/svg+xml', data: Buffer.from(svg).toString('base64') },
  });
  expect(ended[3]?.output).toContain('a.txt is none of these');
  await expectReplay(kit);
});

const csv = 'file,lines\na.ts,3\n';

/** Catches: a table that a model copies out of a file word by word, and one that changes with its file afterwards. */
it('the log keeps the text of a drawn file, and replays without the workspace', async () => {
  const long = `text\n${'x'.repeat(200)}\n`.repeat(300);
  const kit = createAgentKit({
    replies: [
      call('canvas_render', { kind: 'table', path: './a.csv', title: 'Lines' }),
      call('canvas_render', { kind: 'html', path: 'long.html' }),
      call('canvas_render', { kind: 'image', path: 'a.svg' }),
      call('canvas_render', { kind: 'bar', path: 'long.html' }),
      call('canvas_render', { kind: 'table', path: '../a.csv' }),
      call('canvas_render', { kind: 'table', path: 'none.csv' }),
      call('canvas_render', { kind: 'table', path: 'a.csv', content: csv }),
      call('canvas_render', { kind: 'table' }),
      done,
    ],
    sandbox: { files: { 'a.csv': `\uFEFF${csv}`, 'long.html': long, 'a.svg': svg } },
  });
  await kit.runner.send('Draw tables.', loop);
  const ended = ofType(kit.journal.events, 'tool-ended').filter(({ tool }) => tool === 'canvas_render');
  expect(ended.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'error', 'error', 'error', 'error', 'error']);
  expect(ended[0]?.output).toBe('The user sees it: table, 1 × 2. Do not repeat it in words.');
  expect(ended[0]?.data).toEqual({ drawn: { kind: 'table', title: 'Lines', content: csv } });
  expect(ended[2]?.data).toMatchObject({ picture: { path: 'a.svg' } });
  expect(ended[6]?.output).toContain('Give the content or the path, not both.');
  const detailOf = async (at: number) => {
    const events = (async function* () {
      yield* kit.journal.events;
    })();
    const id = ended[at]?.toolCallId ?? '';
    return (await readCallDetail(events, id, { get: (ref) => kit.journal.getBlob(ref) }))?.tools[0];
  };
  expect((await detailOf(0))?.drawn).toEqual({ kind: 'table', title: 'Lines', content: csv });
  expect((await detailOf(1))?.drawn).toEqual({ kind: 'html', content: long });
  expect(await detailOf(2)).not.toHaveProperty('drawn');
  await expectReplay(kit);
});

/** Catches: a plot that a command writes and nobody sees. */
it('a command keeps the pictures that it made, as they were then', async () => {
  const kit = kitWith([call('run_command', { command: 'python3 plot.py' }), done]);
  await kit.runner.send('Run it.', loop);
  const made = kit.journal.state().toolCalls.find(({ tool }) => tool === 'run_command');
  expect(made?.pictures).toEqual(['plot.svg']);
  const events = (async function* () {
    yield* kit.journal.events;
  })();
  const detail = await readCallDetail(events, made?.toolCallId ?? '', { get: (ref) => kit.journal.getBlob(ref) });
  expect(detail?.tools[0]?.pictures).toEqual([
    { path: 'plot.svg', mediaType: 'image/svg+xml', data: Buffer.from(svg).toString('base64') },
  ]);
});
