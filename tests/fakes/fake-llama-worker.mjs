// Speaks the engine's protocol without an engine. The model's file name and the words of the prompt set its behavior.
const aborted = new Set();
let loads = 0;

process.on('disconnect', () => process.exit(0));

process.on('message', (message) => {
  const { type, id } = message;
  if (type === 'ping' && !hung) send({ type: 'pong', id });
  if (type === 'abort' && !deaf) abort(id);
  if (type === 'stats') send({ type: 'stats', id, stats: stats() });
  if (type === 'count' && !dying) send({ type: 'counted', id, tokens: 7 });
  if (type === 'load') load(id, message.options);
  if (type === 'generate') void generate(id, textOf(message.request));
});

let hung = false;
let deaf = false;
let dying = false;
send({ type: 'ready' });

function send(message) {
  if (process.connected) process.send(message);
}

function load(id, { modelPath: path, contextTokens, sequences }) {
  loads += 1;
  if (path.endsWith('crash-while-loading.gguf')) process.abort();
  // Dies as when a thread cannot get memory: no stack trace is printed.
  if (path.endsWith('give-up-while-loading.gguf')) process.kill(process.pid, 'SIGABRT');
  // Ends as a program that runs out of memory: `most-8192.gguf` has room for 8,192 cells.
  if (contextTokens * sequences > Number(/most-(\d+)\.gguf$/.exec(path)?.[1] ?? Infinity)) {
    if (path.includes('says-so')) {
      send({ type: 'failed', id, error: { code: 'out-of-memory', message: 'no room' } });
      return;
    }
    dying = true;
    process.stderr.write('terminate called after throwing an instance of std::bad_alloc\n', () => process.abort());
    return;
  }
  if (path.endsWith('no-memory.gguf')) {
    send({ type: 'failed', id, error: { code: 'out-of-memory', message: 'too large' } });
    return;
  }
  send({ type: 'progress', id, phase: 'loading', done: 0.5, total: 1 });
  const model = {
    contextTokens: 100,
    sequences: 1,
    threads: 1,
    backend: 'cpu',
    template: 'chatml',
    observedBytes: null,
    loadMs: 1,
  };
  // `without-backend.gguf`: a worker of another version leaves out a field that the other side expects.
  const missing = /without-(\w+)\.gguf$/.exec(path)?.[1];
  send({ type: 'loaded', id, model: Object.fromEntries(Object.entries(model).filter(([name]) => name !== missing)) });
}

async function generate(id, text) {
  send({ type: 'progress', id, phase: 'prefill', done: 0, total: 10 });
  if (text === 'die') {
    process.stderr.write('terminate called after throwing an instance of std::bad_alloc\n', () => process.abort());
    return;
  }
  if (text === 'crash') process.exit(3);
  if (text === 'hang') {
    hung = true;
    return;
  }
  if (text === 'deaf') {
    deaf = true;
    return;
  }
  if (text === 'garbage') send({ type: 'delta', id, text: 5, tokens: 1 });
  if (text === 'half an end') return send({ type: 'ended', id });
  if (text === 'nameless end') return send({ type: 'ended', generation: { ...account, stopReason: 'stop' } });
  if (text === 'nonsense') return send({ nonsense: true });
  const words = text === 'slow' ? Array.from({ length: 1000 }, () => 'w ') : [`pid ${process.pid}`, ` loads ${loads}`];
  for (const word of words) {
    if (aborted.has(id)) return;
    send({ type: 'delta', id, text: word, tokens: 1 });
    if (text === 'slow') await new Promise((resolve) => setTimeout(resolve, 5));
  }
  send({ type: 'ended', id, generation: { ...account, stopReason: 'stop' } });
}

const account = {
  promptTokens: 10,
  evaluatedTokens: 4,
  outputTokens: 2,
  prefillMs: 1,
  decodeMs: 1,
  error: null,
};

function abort(id) {
  aborted.add(id);
  send({ type: 'ended', id, generation: { ...account, stopReason: 'cancelled' } });
}

function textOf(request) {
  return request.messages.at(-1).parts[0].text;
}

function stats() {
  return {
    promptTokens: 0,
    evaluatedTokens: 0,
    evaluatedAgain: 0,
    forks: 0,
    statesSaved: 0,
    statesLoaded: 0,
    rssBytes: 1,
  };
}
