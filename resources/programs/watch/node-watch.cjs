/**
 * A program that looks into another Node process, which may be in a loop: `node node-watch.cjs PID SECONDS IDLE FILE`. It
 * says which test runs and where it stands, prints its name, and breaks it off, so that the runner reports it and goes
 * on. `IDLE`: what only waits is named, too. Exits with 3 if the runner works for itself, with 4 if it could not look,
 * with 5 if nothing runs that can be broken off, and with 6 if it only waits for others. It speaks with the inspector,
 * which a process starts on a signal; until then nothing is different for the tests.
 */
'use strict';
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const [pid, seconds] = process.argv.slice(2).map(Number);
const root = process.cwd() + '/';
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const within = (promise, ms) => Promise.race([promise, sleep(ms).then(() => null)]);

function ports() {
  const sockets = new Set();
  for (const name of fs.readdirSync('/proc/' + pid + '/fd')) {
    try {
      sockets.add(fs.readlinkSync('/proc/' + pid + '/fd/' + name));
    } catch {
      // It was closed meanwhile.
    }
  }
  const fields = fs
    .readFileSync('/proc/' + pid + '/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return fields
    .filter((one) => one[3] === '0A' && sockets.has('socket:[' + one[9] + ']') && one[1].startsWith('0100007F:'))
    .map((one) => parseInt(one[1].slice(9), 16));
}

const urlAt = (port) =>
  new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port, path: '/json/list', timeout: 500 }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => (text += chunk));
      answer.on('end', () => {
        try {
          resolve(JSON.parse(text)[0].webSocketDebuggerUrl);
        } catch {
          resolve(null);
        }
      });
    });
    request.on('error', () => resolve(null)).on('timeout', () => request.destroy());
  });

// A web socket of its own, because older versions of Node have none.
const connect = (url, take) =>
  new Promise((resolve, reject) => {
    const { pathname, port } = new URL(url);
    const socket = net.connect(Number(port), '127.0.0.1');
    const key = Buffer.from('dewpoint-watches').toString('base64');
    socket.on('error', reject);
    socket.write(
      [
        'GET ' + pathname + ' HTTP/1.1',
        'Host: 127.0.0.1:' + port,
        'Upgrade: websocket',
        'Connection: Upgrade',
        'Sec-WebSocket-Key: ' + key,
        'Sec-WebSocket-Version: 13',
        '',
        '',
      ].join('\r\n'),
    );
    const write = (value) => {
      const text = Buffer.from(JSON.stringify(value));
      const head = Buffer.alloc(8);
      head.writeUInt32BE(((0x81fe << 16) | text.length) >>> 0, 0);
      socket.write(Buffer.concat([head, text]));
    };
    let isOpen = false;
    let bytes = Buffer.alloc(0);
    let text = [];
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (!isOpen) {
        const end = bytes.indexOf('\r\n\r\n');
        if (end < 0) return;
        isOpen = true;
        bytes = bytes.subarray(end + 4);
        resolve(write);
      }
      while (
        bytes.length >= 10 ||
        (bytes.length >= 2 && (bytes[1] & 127) < 126 && bytes.length >= 2 + (bytes[1] & 127))
      ) {
        const short = bytes[1] & 127;
        const start = short === 126 ? 4 : short === 127 ? 10 : 2;
        const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
        if (bytes.length < start + length) return;
        const isLast = (bytes[0] & 128) !== 0;
        text.push(bytes.subarray(start, start + length));
        const kind = bytes[0] & 15;
        bytes = bytes.subarray(start + length);
        if (!isLast) continue;
        if (kind < 3) take(JSON.parse(Buffer.concat(text).toString()));
        text = [];
      }
    });
  });

// One thread of the process.
function createThread(write) {
  let count = 0;
  const waiting = new Map();
  const scripts = new Map();
  let onPause = () => undefined;
  const pausesAgain = () => new Promise((resolve) => (onPause = resolve));
  const paused = pausesAgain();
  return {
    scripts,
    paused,
    pausesAgain,
    send: (method, params = {}) =>
      new Promise((resolve) => {
        waiting.set(++count, resolve);
        write({ id: count, method, params });
      }),
    take: (message) => {
      if (message.id !== undefined) waiting.get(message.id)?.(message.result ?? {});
      if (message.method === 'Debugger.scriptParsed') scripts.set(message.params.scriptId, message.params);
      if (message.method === 'Debugger.paused') onPause(message.params.callFrames);
    },
  };
}

function placeOf(frame, scripts) {
  const script = scripts.get(frame.location.scriptId);
  const path = (script?.url || frame.url || '').replace(/^file:\/\//, '').replace(/[?#].*$/, '');
  if (!path.startsWith('/') || path.includes('/node_modules/')) return null;
  const file = path.startsWith(root) ? path.slice(root.length) : path.split('/').slice(-2).join('/');
  return { frame, path, file, line: frame.location.lineNumber + 1, name: frame.functionName };
}

// What the common runners say of the test that runs now.
const current = `(() => {
  const names = (test) => (test ? [...names(test.suite), test.name] : []);
  if (typeof __vitest_worker__ === 'object') {
    const { filepath, current } = __vitest_worker__;
    return JSON.stringify([filepath, names(current).filter((name) => name && name !== current.file?.name).join(' > ')]);
  }
  if (typeof expect === 'function' && typeof expect.getState === 'function') {
    const { testPath, currentTestName } = expect.getState();
    return JSON.stringify([testPath, currentTestName ?? '']);
  }
  return null;
})()`;
const inside = '[null, String(this?.fullTitle?.() ?? this?.name ?? "")]';

// A runner that compiles knows which line it was: it shows in the stack of an error.
async function lineOf(thread, { frame, path, line }) {
  const params = {
    callFrameId: frame.callFrameId,
    expression: 'String(new Error().stack)',
    returnByValue: true,
    silent: true,
  };
  const answer = await within(thread.send('Debugger.evaluateOnCallFrame', params), 3000);
  const stack = String(answer?.result?.value ?? '').split('\n');
  const own = stack.find((one) => one.includes(path + ':') && !one.includes('eval at '));
  return Number(own?.slice(own.indexOf(path + ':') + path.length + 1).split(':')[0]) || line;
}

async function nameOf(thread, frames) {
  const ask = async (callFrameId, expression) => {
    const params = { expression, returnByValue: true, silent: true };
    const method = callFrameId === null ? 'Runtime.evaluate' : 'Debugger.evaluateOnCallFrame';
    const answer = await within(thread.send(method, callFrameId === null ? params : { ...params, callFrameId }), 3000);
    const value = answer?.result?.value;
    return typeof value === 'string' ? JSON.parse(value) : null;
  };
  const runner = /node:internal\/test_runner\/test|\/mocha\/lib\/(?:runnable|test)\.js/;
  for (const frame of frames.slice(0, 100)) {
    const url = thread.scripts.get(frame.location.scriptId)?.url ?? '';
    if (!runner.test(url)) continue;
    const [, name] = (await ask(frame.callFrameId, 'JSON.stringify(' + inside + ')')) ?? [];
    if (name && !name.startsWith('/')) return [null, name];
  }
  return (await ask(frames[0]?.callFrameId ?? null, current)) ?? [null, ''];
}

async function look() {
  let close = async () => undefined;
  try {
    return await lookAt(
      (thread) => (close = () => within(thread.send('Runtime.evaluate', { expression: 'process._debugEnd()' }), 500)),
    );
  } finally {
    await close();
  }
}

async function lookAt(onOpen) {
  let url = null;
  for (let times = 0; times < 40 && url === null; times += 1) {
    // All processes have the same port, and the one before may still have it.
    if (times % 5 === 0) process.kill(pid, 'SIGUSR1');
    await sleep(100);
    for (const port of ports()) url ??= await urlAt(port);
  }
  if (url === null) return 4;
  const threads = new Map();
  const write = await connect(url, (message) => {
    const { method, params } = message;
    if (method === 'NodeWorker.attachedToWorker') {
      const { sessionId } = params;
      const send = (value) =>
        write({
          id: 1e9,
          method: 'NodeWorker.sendMessageToWorker',
          params: { sessionId, message: JSON.stringify(value) },
        });
      threads.set(sessionId, createThread(send));
    } else if (method === 'NodeWorker.receivedMessageFromWorker')
      threads.get(params.sessionId)?.take(JSON.parse(params.message));
    else threads.get('main')?.take(message);
  });
  const main = createThread(write);
  threads.set('main', main);
  onOpen(main);
  const isAlive = (await within(main.send('NodeWorker.enable', { waitForDebuggerOnStart: false }), 3000)) !== null;
  await sleep(400);
  for (const thread of threads.values()) {
    void thread.send('Debugger.enable');
    void thread.send('Debugger.pause');
  }
  const busy = [];
  await Promise.all(
    [...threads.values()].map(async (thread) => {
      const frames = await within(thread.paused, 4000);
      if (frames !== null) busy.push([thread, frames]);
      // Otherwise it would stand still as soon as it goes on.
      else void thread.send('Debugger.disable');
    }),
  );
  const found = [];
  for (const [thread, frames] of busy) {
    const places = frames.map((frame) => placeOf(frame, thread.scripts)).filter((place) => place !== null);
    const [file, test] = await nameOf(thread, frames);
    const isAtWork = frames.some(
      (frame) => !(thread.scripts.get(frame.location.scriptId)?.url ?? '').startsWith('node:'),
    );
    // A timer of Node itself that wakes up now and then is no work.
    if (isAtWork || test) found.push({ thread, frames, places, file, test });
    else void thread.send('Debugger.disable');
  }
  const own = found.find(({ places }) => places.length > 0) ?? found.find(({ test }) => test) ?? null;
  if (own === null && found.length > 0) {
    for (const { thread } of found) await within(thread.send('Debugger.resume'), 500);
    return 3;
  }
  const idle = own ?? { thread: main, places: [], ...(await idleName([...threads.values()])) };
  const { thread, places, file, test } = idle;
  const [inner] = places;
  const outer = places[places.length - 1];
  const path = file?.startsWith(root) ? file.slice(root.length) : (file ?? outer?.file ?? '');
  const begins = outer === undefined || /^(?:Object\.)?(?:<anonymous>)?$/.test(outer.name);
  const name = (
    test
      ? (path ? path + ' > ' : '') + test
      : path && begins
        ? 'the import of ' + path
        : path || process.argv[5] || 'the test run'
  )
    .replace(/\s+/g, ' ')
    .slice(0, 300);
  const waits = isAlive ? 'It waits for something that does not come.' : 'It stands in code that is not JavaScript.';
  const named = inner?.name ? ', in ' + inner.name : '';
  const where =
    inner === undefined
      ? waits
      : 'It stands in ' + inner.file + ', line ' + (await lineOf(thread, inner)) + named + '.';
  // Some process that only waits for others.
  if (own === null && name === 'the test run' && isAlive && fs.existsSync(process.env.DEWPOINT_WATCH + '/said'))
    return 6;
  // Before it is broken off, because all may be over right after that.
  if (own !== null || process.argv[4] === 'idle')
    fs.appendFileSync(
      process.env.DEWPOINT_WATCH + '/said',
      '[dewpoint: ' + name + ' does not end. It was stopped after ' + seconds + ' s. ' + where.slice(0, 500) + ']\n',
    );
  console.log(name);
  if (own === null) return 5;
  await breakOff(own);
  return 0;
}

// The variables of the innermost function throw when they are used, so that a runner reports this test and goes on with
// the others. What has none, or catches everything, is broken off without an error.
async function breakOff({ thread, frames, test }) {
  const error =
    'const error = Object.assign(new Error("it does not end"), { name: "DoesNotEndError" }); ' +
    'Error.captureStackTrace?.(error, fail); throw error;';
  const traps = [
    'get',
    'set',
    'has',
    'apply',
    'construct',
    'ownKeys',
    'getPrototypeOf',
    'deleteProperty',
    'defineProperty',
  ];
  const handlers = traps.map((trap) => trap + ': fail').join(', ');
  const poison =
    '(() => { const fail = () => { ' + error + ' }; return new Proxy(function () {}, { ' + handlers + ' }); })()';
  // A function that was compiled for speed takes no new values. One step makes it a plain one.
  const steps = thread.pausesAgain();
  void thread.send('Debugger.stepOver');
  const [{ callFrameId, scopeChain }] = (await within(steps, 3000)) ?? frames;
  for (const { type, object } of scopeChain) {
    if (type !== 'local' && type !== 'block') continue;
    const { objectId } = object;
    const properties = await within(thread.send('Runtime.getProperties', { objectId, ownProperties: true }), 3000);
    for (const { name } of properties?.result ?? []) {
      if (!/^[\p{L}_$][\p{L}\d_$]*$/u.test(name) || name === 'arguments') continue;
      const expression = name + ' = ' + poison;
      await within(thread.send('Debugger.evaluateOnCallFrame', { callFrameId, expression, silent: true }), 3000);
    }
  }
  const isBack = thread.pausesAgain();
  await within(thread.send('Debugger.resume'), 500);
  await sleep(300);
  void thread.send('Debugger.pause');
  const again = await within(isBack, 500);
  const isThere = again?.[0]?.functionName === frames[0].functionName && again.length >= frames.length;
  // The next test may stand in the same function by now.
  if (isThere && (await nameOf(thread, again))[1] === test) void thread.send('Runtime.terminateExecution');
  await within(thread.send('Debugger.resume'), 500);
}

async function idleName(threads) {
  for (const thread of threads) {
    const [file, test] = await nameOf(thread, []);
    if (file || test) return { file, test };
  }
  return { file: null, test: '' };
}

look().then(
  (code) => process.exit(code),
  () => process.exit(4),
);
