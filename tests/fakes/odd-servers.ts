import { createGzip } from 'node:zlib';
import type { MadeServer } from './server-answers.ts';
import {
  call,
  calls,
  chunk,
  done,
  ended,
  fails,
  fine,
  frames,
  hello,
  json,
  oneCall,
  read,
  said,
} from './server-answers.ts';
import { sse, usage, whole, type Send } from './server-answers.ts';

/** More rows of `made-servers.ts`: answers that no reference has, and that servers, engines and gateways send. */

/** As it stands, with its own first line. The connection ends behind it. */
const raw =
  (text: string): Send =>
  (response) =>
    void response.socket?.end(text);
const text =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Send =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);
const first = (at: number): string => frames(hello[at] ?? '');
const path = '{"path":"a.py"}';
const twoCalls = { calls: [`read_file ${path}`, 'read_file {"path":"b.py"}'], stopReason: 'tool-calls' } as const;
const breaksWith = (words: RegExp) => ({ text: 'Hel', ...fails('overloaded', true, words) });
const piece = (delta: Readonly<Record<string, unknown>>): Send => sse(frames(chunk(delta), ended('stop')));
const stops = (reason: string): Send => sse(frames(chunk({ content: 'Hello.' }), chunk({}, reason, { usage })));

const transportRows: readonly MadeServer[] = [
  {
    name: 'HTTP/1.0',
    answer: raw(`HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${whole}`),
    expected: fine,
  },
  {
    name: 'trailers behind the body',
    answer: (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', trailer: 'x-sum' });
      response.write(whole);
      response.addTrailers({ 'x-sum': '1' });
      response.end();
    },
    expected: fine,
  },
  {
    name: 'gzip that is flushed piece by piece, and never ends',
    answer: (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      const packed = createGzip();
      packed.pipe(response);
      packed.write(first(0));
      packed.flush(() => {
        packed.write(first(1) + first(2));
        packed.flush();
      });
    },
    expected: fine,
  },
  {
    name: 'early hints',
    answer: (response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      sse(whole)(response, response.req);
    },
    expected: fine,
  },
  { name: 'two objects in one event', answer: sse(`data: ${hello[0]}${hello[1]}\n\n${first(2)}`), expected: fine },
  { name: 'one line end between events', answer: sse(whole.replaceAll('\n\n', '\n')), expected: fine },
  { name: 'empty events', answer: sse(`data:\n\ndata: \n\n${whole}`), expected: fine },
  { name: 'a word that keeps alive', answer: sse(`data: ping\n\n${whole}`), expected: fine },
  { name: 'an event of another kind', answer: sse(`event: ping\ndata: {"type":"ping"}\n\n${whole}`), expected: fine },
  { name: 'a byte order mark in each event', answer: sse(whole.replaceAll('data:', '\uFEFFdata:')), expected: fine },
  { name: 'events that are typed as JSON', answer: sse(whole, { 'content-type': 'application/json' }), expected: fine },
  {
    name: 'such events, and the connection stays open',
    answer: (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write(whole),
    expected: fine,
  },
  { name: 'lines of JSON', answer: sse(hello.join('\n'), { 'content-type': 'application/x-ndjson' }), expected: fine },
  {
    name: 'the whole answer as JSON that is typed as text',
    answer: text(200, JSON.stringify({ choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }], usage })),
    expected: fine,
  },
];

const errorRows: readonly MadeServer[] = [
  {
    name: 'an event for an error',
    answer: sse(`${first(0)}event: error\ndata: {"message":"the engine died","code":500}\n\n`),
    expected: breaksWith(/the engine died/u),
  },
  {
    name: 'words in such an event',
    answer: sse(`${first(0)}event: error\ndata: the engine died\n\n`),
    expected: breaksWith(/the engine died/u),
  },
  {
    name: 'an error as a text',
    answer: sse(first(0) + frames('{"error":"the engine died"}')),
    expected: breaksWith(/the engine died/u),
  },
  {
    name: 'an error in the form of vLLM',
    answer: sse(first(0) + frames('{"object":"error","message":"the engine died","code":500}')),
    expected: breaksWith(/the engine died/u),
  },
  {
    name: 'an error in the form of FastAPI',
    answer: sse(first(0) + frames('{"detail":"the engine died"}')),
    expected: breaksWith(/the engine died/u),
  },
  {
    name: 'such an error in a 200',
    answer: json(200, { detail: 'loading' }),
    expected: fails('overloaded', true, /loading/u),
  },
  {
    name: 'a field that it does not take',
    answer: json(422, { detail: [{ loc: ['body', 'seed'], msg: 'not permitted' }] }),
    expected: fails('bad-request', false, /body\.seed: not permitted/u),
  },
  {
    name: 'another kind of JSON',
    answer: json(200, { status: 'ok' }),
    expected: fails('network', false, /"status":"ok".*Check its address/u),
  },
  {
    name: 'a word',
    answer: text(200, 'It works!'),
    expected: fails('network', false, /"It works!".*Check its address/u),
  },
  {
    name: 'no content',
    answer: (response) => void response.writeHead(204).end(),
    expected: fails('cut', true, /cut off/u),
  },
  { name: 'a refusal without a word', answer: text(429, ''), expected: fails('rate-limit', true, /did not say why/u) },
  {
    name: 'too many calls, with a date',
    answer: json(
      429,
      { error: { message: 'Slow down' } },
      { date: 'Sat, 28 Nov 2026 20:00:00 GMT', 'retry-after': 'Sat, 28 Nov 2026 20:00:30 GMT' },
    ),
    expected: { error: { code: 'rate-limit', retryable: true, retryAfterMs: 30_000, words: /Slow down/u } },
  },
  {
    name: 'an overload with a number of its own',
    answer: json(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    expected: fails('overloaded', true, /Overloaded/u),
  },
  {
    name: 'no encryption, at a port that wants it',
    answer: text(400, 'Client sent an HTTP request to an HTTPS server.\n'),
    expected: fails('bad-request', false, /begins with https:/u),
  },
  {
    name: 'a way on without an address',
    answer: (response) => void response.writeHead(301).end(),
    expected: fails('network', false, /answers with 301/u),
  },
  {
    name: 'a way on to nowhere',
    answer: (response) => void response.writeHead(302, { location: 'http://[' }).end(),
    expected: fails('network', false, /sends the call on to http:\/\/\[/u),
  },
  {
    name: 'nothing new',
    answer: (response) => void response.writeHead(304).end(),
    expected: fails('network', false, /answers with 304/u),
  },
];

const contentRows: readonly MadeServer[] = [
  {
    name: 'counts before the text',
    answer: sse(frames(JSON.stringify({ choices: [], usage })) + said('Hello.')),
    expected: { ...fine, isEstimated: false },
  },
  { name: 'no list of choices', answer: sse(frames('{"choices":null}') + whole), expected: fine },
  {
    name: 'a message in place of a piece',
    answer: sse(
      frames(JSON.stringify({ choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }], usage })),
    ),
    expected: fine,
  },
  {
    name: 'a text in place of a piece',
    answer: sse(frames(JSON.stringify({ choices: [{ text: 'Hello.', finish_reason: 'stop' }], usage }))),
    expected: fine,
  },
  { name: 'content as one part', answer: piece({ content: { type: 'text', text: 'Hello.' } }), expected: fine },
  { name: 'content as a list of texts', answer: piece({ content: ['Hel', 'lo.'] }), expected: fine },
  {
    name: 'parts with another name',
    answer: piece({ content: [{ type: 'output_text', text: 'Hello.' }] }),
    expected: fine,
  },
  {
    name: 'text beside fields that nobody can read',
    answer: piece({ content: 'Hello.', reasoning: { a: 1 }, tool_calls: [null] }),
    expected: fine,
  },
  { name: 'a refusal in words', answer: piece({ refusal: 'Hello.' }), expected: fine },
  {
    name: 'an empty reason with each piece, and a pause',
    answer: (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(frames(chunk({ content: 'Hel' }, '')));
      setTimeout(() => response.end(frames(chunk({ content: 'lo.' }, ''), ended('stop'))), 3_500);
    },
    expected: fine,
  },
  {
    name: 'only empty reasons',
    answer: sse(frames(chunk({ content: 'Hello.' }, '')) + done),
    expected: { text: 'Hello.', ...fails('cut', true, /cut off/u) },
  },
  { name: 'a limit in other words', answer: stops('MAX_TOKENS'), expected: { ...fine, stopReason: 'length' } },
  {
    name: 'a reason that is an error',
    answer: stops('abort'),
    expected: { text: 'Hello.', ...fails('cut', true, /ended the answer before its end \(abort\)/u) },
  },
];

const callRows: readonly MadeServer[] = [
  {
    name: 'two calls with the same id',
    answer: sse(
      frames(calls(call({ function: read(path) }), call({ index: 1, function: read('{"path":"b.py"}') })), ended()),
    ),
    expected: twoCalls,
  },
  {
    name: 'such calls in events of their own',
    answer: sse(
      frames(
        calls(call({ function: read(path) })),
        calls(call({ index: 1, function: read('{"path":"b.py"}') })),
        ended(),
      ),
    ),
    expected: twoCalls,
  },
  {
    name: 'a whole call that is said twice',
    answer: sse(frames(calls(call({ function: read(path) })), calls(call({ function: read(path) })), ended())),
    expected: oneCall,
  },
  {
    name: 'an index that is a text',
    answer: sse(frames(calls(call({ index: '0', function: read(path) })), ended())),
    expected: oneCall,
  },
  {
    name: 'an id that is a number',
    answer: sse(frames(calls(call({ id: 7, function: read(path) })), ended())),
    expected: oneCall,
  },
  {
    name: 'a call without its list',
    answer: sse(frames(chunk({ tool_calls: call({ function: read(path) }) }), ended())),
    expected: oneCall,
  },
  {
    name: 'a call in the old form',
    answer: sse(frames(chunk({ function_call: read(path) }), ended('function_call'))),
    expected: oneCall,
  },
];

export const oddServers: readonly MadeServer[] = [...transportRows, ...errorRows, ...contentRows, ...callRows];
