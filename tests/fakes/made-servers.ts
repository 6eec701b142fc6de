import { gzipSync } from 'node:zlib';
import type { MadeServer } from './server-answers.ts';
import { oddServers } from './odd-servers.ts';
import {
  usage,
  chunk,
  frames,
  done,
  hello,
  whole,
  call,
  read,
  calls,
  ended,
  said,
  sse,
  json,
  page,
  refusal,
  pieces,
  cut,
  onlyAt,
  never,
  fine,
  oneCall,
  fails,
} from './server-answers.ts';

const frameRows: readonly MadeServer[] = [
  { name: 'as the references say', answer: sse(whole), expected: fine },
  { name: 'lines that end in CRLF', answer: sse(whole.replaceAll('\n', '\r\n')), expected: fine },
  { name: 'lines that end in CR', answer: sse(whole.replaceAll('\n', '\r')), expected: fine },
  { name: 'a byte order mark first', answer: sse(`\uFEFF${whole}`), expected: fine },
  {
    name: 'comments between the frames',
    answer: sse(`: hello\n\n${whole.replaceAll('\n\n', '\n\n: ping\n\n')}`),
    expected: fine,
  },
  {
    name: 'events, ids and retry times',
    answer: sse(whole.replaceAll('data:', 'id: 1\nretry: 5\nevent: message\ndata:')),
    expected: fine,
  },
  { name: 'no space after the colon', answer: sse(whole.replaceAll('data: ', 'data:')), expected: fine },
  {
    name: 'data on several lines',
    answer: sse(whole.replaceAll('data: {"id":"c",', 'data: {"id":"c",\ndata: ')),
    expected: fine,
  },
  { name: 'byte by byte', answer: pieces([...Buffer.from(whole)].map((byte) => Buffer.from([byte]))), expected: fine },
  {
    name: 'characters that are split between packets',
    answer: pieces([...Buffer.from(said('Grüße 🎉'))].map((byte) => Buffer.from([byte]))),
    expected: { text: 'Grüße 🎉', stopReason: 'stop' },
  },
  { name: 'no [DONE]', answer: sse(frames(...hello)), expected: fine },
  {
    name: 'no [DONE], and the connection stays open',
    answer: (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(frames(...hello)),
    expected: fine,
  },
  { name: 'no empty line after the last frame', answer: sse(frames(...hello).trimEnd()), expected: fine },
  { name: 'trash after [DONE]', answer: sse(`${whole}data: {"broken\n\n<html>`), expected: fine },
  { name: 'gzip', answer: sse(gzipSync(whole), { 'content-encoding': 'gzip' }), expected: fine },
  { name: 'plain text as its type', answer: sse(whole, { 'content-type': 'text/plain' }), expected: fine },
  { name: 'no type at all', answer: (response) => void response.writeHead(200).end(whole), expected: fine },
  {
    name: 'the whole answer as JSON, although a stream was asked for',
    answer: json(200, {
      id: 'c',
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
      usage,
    }),
    expected: fine,
  },
  {
    name: 'a call in such an answer',
    answer: json(200, {
      model: 'm',
      choices: [
        {
          message: { content: null, tool_calls: [{ id: 'c1', type: 'function', function: read('{"path":"a.py"}') }] },
          finish_reason: 'tool_calls',
        },
      ],
      usage,
    }),
    expected: oneCall,
  },
  {
    name: 'an error in a 200',
    answer: json(200, refusal('the engine died')),
    expected: fails('overloaded', true, /the engine died/u),
  },
  {
    name: 'an error in the middle',
    answer: sse(frames(chunk({ content: 'Hel' }), JSON.stringify(refusal('the engine died')))),
    expected: { text: 'Hel', ...fails('overloaded', true, /the engine died/u) },
  },
];

const contentRows: readonly MadeServer[] = [
  {
    name: 'counts in a frame without a choice',
    answer: sse(frames(chunk({ content: 'Hello.' }), chunk({}, 'stop'), JSON.stringify({ choices: [], usage })) + done),
    expected: fine,
  },
  {
    name: 'counts in a field of Groq',
    answer: sse(frames(chunk({ content: 'Hello.' }), chunk({}, 'stop', { x_groq: { usage } }))),
    expected: fine,
  },
  {
    name: 'no counts',
    answer: sse(frames(chunk({ content: 'Hello.' }), chunk({}, 'stop'))),
    expected: { ...fine, isEstimated: true },
  },
  {
    name: 'counts that are no numbers',
    answer: sse(
      frames(
        chunk({ content: 'Hello.' }),
        chunk({}, 'stop', { usage: { prompt_tokens: '10', completion_tokens: null } }),
      ),
    ),
    expected: { ...fine, isEstimated: true },
  },
  {
    name: 'content that is null',
    answer: sse(frames(chunk({ content: null }), chunk({ content: 'Hello.' }), ended('stop'))),
    expected: fine,
  },
  {
    name: 'content as a list',
    answer: sse(frames(chunk({ content: [{ type: 'text', text: 'Hello.' }] }), ended('stop'))),
    expected: fine,
  },
  {
    name: 'a call in pieces',
    answer: sse(
      frames(
        calls(call({ function: read('{"pa') })),
        calls({ index: 0, function: { arguments: 'th":"a.py"}' } }),
        ended(),
      ),
    ),
    expected: oneCall,
  },
  {
    name: 'a call without an id',
    answer: sse(frames(calls({ index: 0, function: read('{"path":"a.py"}') }), ended())),
    expected: oneCall,
  },
  {
    name: 'a call without an index',
    answer: sse(frames(calls({ id: 'c1', function: read('{"path":"a.py"}') }), ended())),
    expected: oneCall,
  },
  {
    name: 'arguments as an object',
    answer: sse(frames(calls(call({ function: read({ path: 'a.py' }) })), ended())),
    expected: oneCall,
  },
  {
    name: 'a call that ends with "stop"',
    answer: sse(frames(calls(call({ function: read('{"path":"a.py"}') })), ended('stop'))),
    expected: oneCall,
  },
  {
    name: 'a name in every piece of a call',
    answer: sse(
      frames(calls(call({ function: read('{"path":') })), calls(call({ function: read('"a.py"}') })), ended()),
    ),
    expected: oneCall,
  },
  {
    name: 'two calls with the same index',
    answer: sse(
      frames(
        calls(call({ function: read('{"path":"a.py"}') })),
        calls(call({ id: 'c2', function: read('{"path":"b.py"}') })),
        ended(),
      ),
    ),
    expected: { calls: ['read_file {"path":"a.py"}', 'read_file {"path":"b.py"}'], stopReason: 'tool-calls' },
  },
  {
    name: 'two calls without index and id',
    answer: sse(
      frames(calls({ function: read('{"path":"a.py"}') }), calls({ function: read('{"path":"b.py"}') }), ended()),
    ),
    expected: { calls: ['read_file {"path":"a.py"}', 'read_file {"path":"b.py"}'], stopReason: 'tool-calls' },
  },
  {
    name: 'a call without arguments',
    answer: sse(frames(calls(call({ function: { name: 'list_files' } })), ended())),
    expected: { calls: ['list_files {}'], stopReason: 'tool-calls' },
  },
  {
    name: 'thoughts in a field',
    answer: sse(frames(chunk({ reasoning_content: 'Hm.' }), chunk({ content: 'Hello.' }), ended('stop'))),
    expected: { ...fine, thoughts: 'Hm.' },
  },
  {
    name: 'thoughts in the text',
    answer: sse(said('<think>\nHm.</think>\n\nHello.')),
    expected: { ...fine, thoughts: '\nHm.' },
  },
  {
    name: 'thoughts under another name',
    answer: sse(said('<thinking>Hm.</thinking>Hello.')),
    expected: { ...fine, thoughts: 'Hm.' },
  },
  {
    name: 'thoughts without their opening mark',
    answer: sse(said('Hm.\n</think>\n\nHello.')),
    expected: { ...fine, thoughts: 'Hm.\n' },
  },
  {
    name: 'marks of gpt-oss',
    answer: sse(said('<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hello.')),
    expected: { ...fine, thoughts: 'Hm.' },
  },
  {
    name: 'a call inside thoughts',
    answer: sse(said('<think>I call <tool_call>{"name":"x"}</tool_call>')),
    expected: { text: '<tool_call>{"name":"x"}</tool_call>', stopReason: 'stop' },
  },
  {
    name: 'code about the marks',
    answer: sse(said('```\n<think>x</think>\n```')),
    expected: { text: '```\n<think>x</think>\n```', thoughts: '' },
  },
];

const endRows: readonly MadeServer[] = [
  {
    name: 'text that the length limit cuts',
    answer: sse(said('Hello.', 'length')),
    expected: { ...fine, stopReason: 'length' },
  },
  {
    name: 'a call that the length limit cuts',
    answer: sse(frames(calls(call({ function: read('{"path":"a') })), ended('length'))),
    expected: { calls: [], stopReason: 'length', cutCall: { tool: 'read_file', characters: 10 } },
  },
  {
    name: 'an end without a reason',
    answer: sse(frames(chunk({ content: 'Hello.' })) + done),
    expected: { text: 'Hello.', ...fails('cut', true, /cut off/u) },
  },
  {
    name: 'a connection that breaks in a word',
    answer: cut(frames(chunk({ content: 'Hel' }))),
    expected: { text: 'Hel', ...fails('network', true, /connection was lost/u) },
  },
  {
    name: 'a connection that breaks in a call',
    answer: cut(frames(calls(call({ function: read('{"pa') })))),
    expected: { calls: [], ...fails('network', true, /connection was lost/u) },
  },
  {
    name: 'an answer that the service withholds',
    answer: sse(said('Hel', 'content_filter')),
    expected: { text: 'Hel', ...fails('bad-request', false, /withheld/u) },
  },
  { name: 'nothing at all', answer: sse(''), expected: fails('cut', true, /cut off/u) },
  {
    name: 'a slow server of one’s own',
    where: 'local',
    firstWordSeconds: 0.3,
    answer: never,
    expected: fails('stalled', false, /made sent no word for .* not asked again.*providers\.made\.firstWordSeconds/u),
  },
  {
    name: 'headers at once, and then silence',
    where: 'local',
    firstWordSeconds: 0.3,
    answer: (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
    expected: fails('stalled', false, /not asked again/u),
  },
  {
    name: 'a slow service',
    where: 'cloud',
    firstWordSeconds: 0.3,
    answer: never,
    expected: fails('stalled', true, /Nothing came/u),
  },
];

const refusalRows: readonly MadeServer[] = [
  {
    name: 'nobody there',
    way: 'nobody',
    answer: never,
    expected: fails(
      'network',
      true,
      /could not be reached: connect ECONNREFUSED .*\. Is the server running\? Start it/u,
    ),
  },
  { name: 'only IPv6', way: 'ipv6', answer: sse(whole), expected: fine },
  {
    name: 'a name and a password in the address',
    way: 'password',
    answer: (response, message) =>
      (message.headers.authorization === `Basic ${btoa('me:secret')}` ? sse(whole) : page(401, 'Who?'))(
        response,
        message,
      ),
    expected: fine,
  },
  { name: 'a slash too many', path: '/v1//', answer: onlyAt(/^\/v1\/chat\/completions$/u, sse(whole)), expected: fine },
  {
    name: 'parameters in the address',
    path: '/v1?x=1',
    answer: onlyAt(/^\/v1\/chat\/completions\?x=1$/u, sse(whole)),
    expected: fine,
  },
  {
    name: 'a pasted end of the address',
    path: '/v1/chat/completions',
    answer: onlyAt(/^\/v1\/chat\/completions$/u, sse(whole)),
    expected: fine,
  },
  {
    name: 'an address without /v1',
    path: '',
    answer: onlyAt(/^\/v1\//u, sse(whole)),
    expected: fails(
      'missing-model',
      false,
      /nothing at \/chat\/completions \(404.*Most servers answer below http:\/\/127\.0\.0\.1:\d+\/v1/u,
    ),
  },
  {
    name: 'a model that it does not have',
    answer: json(404, refusal('model "m" not found')),
    expected: fails('missing-model', false, /model "m" not found/u),
  },
  {
    name: 'another address at the same server',
    answer: (response, message) =>
      message.url === '/v1/chat/completions'
        ? void response.writeHead(307, { location: '/other' }).end()
        : sse(whole)(response, message),
    expected: fine,
  },
  {
    name: 'another server',
    answer: (response) =>
      void response.writeHead(308, { location: 'https://elsewhere.invalid/v1/chat/completions' }).end(),
    expected: fails('network', false, /sends the call on to https:\/\/elsewhere\.invalid.*Nothing was sent there/u),
  },
  {
    name: 'a page in place of an answer',
    answer: page(200, 'Sign in'),
    expected: fails('network', false, /a web page \("Sign in"\)/u),
  },
  {
    name: 'a page of a proxy that refuses',
    answer: page(403, '403 Forbidden'),
    expected: fails('blocked', false, /between here and .*\(403: .*key was not judged/u),
  },
  {
    name: 'a page that wants a sign-in to the network',
    answer: page(511, 'Portal'),
    expected: fails('blocked', false, /sign in first/u),
  },
  {
    name: 'a server for files, which knows no such method',
    answer: page(501, 'Error response'),
    expected: fails('bad-request', false, /answers like no model provider \(501: .*Check its address/u),
  },
  {
    name: 'a gateway whose server is away',
    answer: page(502, '502 Bad Gateway'),
    expected: fails('overloaded', true, /\(502: .*: the server behind it does not answer/u),
  },
  {
    name: 'a gateway that waited too long',
    answer: (response) =>
      void response.writeHead(504, { 'content-type': 'text/plain' }).end('upstream request timeout'),
    expected: fails('overloaded', true, /\(504: upstream request timeout\): the server behind it took too long/u),
  },
  {
    name: 'a gateway that takes no large request',
    answer: page(413, '413 Request Entity Too Large'),
    expected: fails('context-full', false, /no request of this size/u),
  },
  {
    name: 'a wrong key',
    answer: json(401, refusal('Incorrect API key', 'invalid_api_key')),
    expected: fails('auth', false, /Incorrect API key/u),
  },
  {
    name: 'no credit',
    answer: json(402, refusal('Insufficient balance')),
    expected: fails('no-credit', false, /no credit left/u),
  },
  {
    name: 'a country',
    answer: json(403, refusal('Country, region, or territory not supported')),
    expected: fails('blocked', false, /Not from where you are\. Your key was not judged/u),
  },
  {
    name: 'a law',
    answer: json(451, refusal('Unavailable in your country')),
    expected: fails('blocked', false, /451/u),
  },
  {
    name: 'too many calls, with a time',
    answer: json(429, refusal('Slow down'), { 'retry-after': '7' }),
    expected: { error: { code: 'rate-limit', retryable: true, retryAfterMs: 7000, words: /Slow down/u } },
  },
  {
    name: 'too many calls, without a time',
    answer: json(429, refusal('Slow down')),
    expected: { error: { code: 'rate-limit', retryable: true, retryAfterMs: undefined, words: /Slow down/u } },
  },
  {
    name: 'a small context',
    answer: json(400, refusal("This model's maximum context length is 4096 tokens, and you sent 9000.")),
    expected: { error: { code: 'context-full', retryable: false, contextTokens: 4096, words: /4096/u } },
  },
  {
    name: 'a failure of its own',
    answer: json(500, refusal('CUDA error')),
    expected: fails('overloaded', true, /CUDA error/u),
  },
  {
    name: 'a proxy that blocks',
    way: 'proxy-403',
    answer: never,
    expected: fails('network', false, /The proxy http:\/\/127\.0\.0\.1:\d+ \(from http_proxy\) blocked this \(403\)/u),
  },
  {
    name: 'a proxy that wants a password',
    way: 'proxy-407',
    answer: never,
    expected: fails('network', false, /The proxy http:\/\/127\.0\.0\.1:\d+ .*needs a name and a password/u),
  },
  {
    name: 'a proxy that is away',
    way: 'proxy-away',
    answer: never,
    expected: fails('network', true, /ECONNREFUSED.*through the proxy http:\/\/127\.0\.0\.1:9 \(from http_proxy\)/u),
  },
];

export const madeServers: readonly MadeServer[] = [
  ...frameRows,
  ...contentRows,
  ...endRows,
  ...refusalRows,
  ...oddServers,
];
