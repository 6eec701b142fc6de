const daemon = (body: string): string =>
  `python3 -c "
import os, signal, time
${body}
for s in range(1, 32):
    try: signal.signal(s, signal.SIG_IGN)
    except OSError: pass
while True: time.sleep(1)"`;

/** Commands that try to outlive their run, each in a different way. */
export const hostileTrees: readonly (readonly [string, string])[] = [
  ['a session of its own', '(setsid sleep 600 &) ; sleep 600'],
  [
    'two forks and a session',
    `${daemon('if os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)')} ; sleep 600`,
  ],
  ['deaf to every signal', `${daemon('pass')} & sleep 600`],
  ['without its environment', 'env -i setsid sleep 600 & sleep 600'],
  ['stopped', 'sleep 600 & kill -STOP $!; setsid sleep 600 & kill -STOP $!; sleep 600'],
  [
    'traced by another',
    'sleep 600 & python3 -c "import ctypes,time; ctypes.CDLL(None).ptrace(16, int(open(\'/proc/self/stat\').read().split()[3]), 0, 0); time.sleep(600)"',
  ],
  ['under another name', 'exec -a "[kworker/0:1]" sleep 600 & cp /bin/sleep /tmp/x; (setsid /tmp/x 600 &); sleep 600'],
  ['in a loop that starts anew', 'while :; do setsid sleep 600 & sleep 0.05; done'],
  ['a chain of parents that go', 'f() { [ "$1" -eq 0 ] && exec sleep 600; (f $(($1 - 1)) & ) ; }; f 12; sleep 600'],
  ['holding the output open', 'nohup setsid sh -c "exec sleep 600" & disown -a; sleep 600'],
];
