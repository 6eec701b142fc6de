import { expect, it } from 'vitest';
import { leftRunning } from '../../../../src/main/tools/commands/left-running.ts';

// Catches: a model believes that a server runs, because the command that started it ended well.
it.each([
  ['npm start &', 'npm start'],
  ['cd app && python3 -m http.server 8000 &\nsleep 1; curl localhost:8000', 'python3 -m http.server 8000'],
  ['(sleep 300 &) ; echo ok', 'sleep 300'],
  ['nohup node "a & b.js" > log 2>&1 &', 'nohup node "a & b.js" > log 2>&1'],
  ['setsid -f node server.js', 'setsid -f node server.js'],
  ["cat > run.sh <<'EOF'\na & b\nEOF\n./run.sh &", './run.sh'],
])('the check of a command %j finds what it would leave running', (command, part) => {
  expect(leftRunning(command)).toBe(part);
});

it.each([
  'npm test && npm run lint',
  'npm test 2>&1 | tail',
  'npm test &> log',
  'npm test |& tail',
  'echo \'a & b\' "c & d" e\\&f # g & h',
  "cat > a.html <<'EOF'\nTom & Jerry\nEOF",
  'cat <<-EOF\n\ta & b\n\tEOF\necho done',
  'cmd <<< "a & b"',
  'a & b & wait',
  'curl "http://localhost/?a=1&b=2"',
])('the check of a command %j finds nothing left running', (command) => {
  expect(leftRunning(command)).toBeNull();
});
