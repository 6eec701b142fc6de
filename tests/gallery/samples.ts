import type { Attachment } from '@shared/attachments/attachment.ts';
import type { ToolCallState } from '@shared/session/session-state.ts';
import type { CanvasChart, Picture } from '@shared/tools/canvas.ts';

export const nothing = (): void => undefined;

/** What must be broken somewhere, or runs out of its place. */
export const long =
  'a_very_long_name_without_any_space_that_has_to_be_broken_somewhere_or_it_runs_out_of_the_window'.repeat(2);

export const notes: Attachment = { kind: 'text', name: 'notes.md', blob: { sha256: 'a'.repeat(64), bytes: 420 } };

export const screenshot: Attachment = {
  kind: 'image',
  name: 'screenshot.png',
  blob: { sha256: 'd'.repeat(64), bytes: 5300 },
  mediaType: 'image/png',
  width: 80,
  height: 60,
};

/** What a model may show, right and wrong. */
export const canvases = [
  { kind: 'table', title: 'Files by size', content: 'file,lines,"last, changed"\na.ts,120,Monday\nb.ts,7,' },
  {
    kind: 'bar',
    title: 'Tokens by day',
    content: 'day,read,written\nMon,1200,150\nTue,900,\nWed,-200,60\nThu,400,90',
  },
  { kind: 'pie', title: 'Where steps ran', content: 'where,steps\nthis machine,81\ncloud,14\nlost,0.05' },
  { kind: 'line', title: 'Seconds', content: 'size,before,after\n1,2.5,1.1\n10,4.8,1.4\n20,9.1,1.6\n40,,2.2\n80,33,3' },
  { kind: 'area', title: 'Memory', content: 'minute,MB\n0,120\n1,180\n2,175\n3,260' },
  { kind: 'point', title: 'Price and time', content: 's,a,b\n1,2,9\n2,4,7\n3,3,8\n4,8,2' },
  { kind: 'diagram', title: 'The way of a call', content: 'graph TD\n  A --> B' },
  { kind: 'html', title: 'A page', content: '<h1>A page</h1><p>With words.</p>' },
  { kind: 'bar', title: 'No numbers', content: 'day,read\nMon,many' },
] as const;

export const charts = {
  bars: {
    kind: 'bar',
    title: '',
    axis: 'day',
    labels: ['Mon', 'Tue', long],
    series: [
      { name: 'read', values: [1200, null, 1e9] },
      { name: 'written', values: [-1e8, 6e8, 0] },
    ],
  },
  parts: { kind: 'pie', title: '', axis: 'part', labels: ['all'], series: [{ name: 'share', values: [1] }] },
} as const satisfies Record<string, CanvasChart>;

export const plot: Picture = {
  path: 'out/plot.svg',
  mediaType: 'image/svg+xml',
  data: btoa(
    '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="90"><rect width="160" height="90" fill="#dde"/><path d="M5 80L60 30L100 55L155 10" stroke="#23a" fill="none" stroke-width="3"/></svg>',
  ),
};

export const drawnCall: ToolCallState = {
  toolCallId: 'tool-1',
  turnId: 'turn-1',
  callId: 'call-1',
  tool: 'canvas_render',
  label: 'show bar: Tokens by day',
  startedAt: 0,
  status: 'ok',
  output: '',
  outputLeftOut: false,
  exitCode: null,
  durationMs: 1,
};
