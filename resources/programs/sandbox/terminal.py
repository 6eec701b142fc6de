# A program that opens a shell on a terminal inside a sandbox. A sandbox gives its processes only pipes, so this
# small program makes the terminal inside, and all that it starts is under the sandbox's control. Its input comes in
# frames: one byte for the type (`d` typed, `r` resized), four bytes of length, then the bytes. Everything ends with
# its input.
import os, sys, pty, select, struct, fcntl, termios, signal
rows, columns = int(sys.argv[1]), int(sys.argv[2])
shell = '/bin/bash' if os.path.exists('/bin/bash') else '/bin/sh'
pid, fd = pty.fork()
if pid == 0:
    os.environ['TERM'] = 'xterm-256color'
    os.execv(shell, [shell, '-i'])
def size(rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
def put(target, data):
    while data:
        data = data[os.write(target, data):]
size(rows, columns)
held = b''
over = False
while True:
    ready, _, _ = select.select([fd] if over else [fd, 0], [], [])
    if fd in ready:
        try:
            data = os.read(fd, 65536)
        except OSError:
            data = b''
        if not data:
            break
        put(1, data)
    if 0 in ready:
        data = os.read(0, 65536)
        if not data:
            over = True
            os.kill(pid, signal.SIGHUP)
            continue
        held += data
        while len(held) >= 5:
            count = struct.unpack('>I', held[1:5])[0]
            if len(held) < 5 + count:
                break
            kind, body, held = held[:1], held[5:5 + count], held[5 + count:]
            if kind == b'd':
                put(fd, body)
            elif kind == b'r':
                size(*struct.unpack('>HH', body))
_, status = os.waitpid(pid, 0)
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
