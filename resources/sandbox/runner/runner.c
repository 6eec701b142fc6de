/*
 * Process 1 of a session's container. It takes framed requests on its standard input and answers on its standard output:
 * starts commands and file operations, passes their bytes on, kills them, and collects what dies. It holds no secret,
 * ignores every signal, lets nobody look into its memory, and gives no descriptor of its own to what it starts. What
 * comes from that side is bytes. When its input ends, everything ends.
 *
 * A frame is the length of its payload (32 bits), a type (8 bits), a run (32 bits), all big-endian, and the payload.
 * The app never has more input under way for one run than WINDOW, so that no run can hold up the requests.
 */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERSION 2
#define HEADER 9
#define MOST_RUNS 256
#define MOST_REQUEST (1024 * 1024)
#define WINDOW (256 * 1024)
#define PIECE (64 * 1024)
#define OUTPUT (512 * 1024)
/* Between two looks at what is left behind, and how many of them are made before everything is killed. */
#define SWEEP_MS 2
#define PATIENT_ROUNDS 30
/* Never taken by what a command prints: answers to the app always fit. */
#define KEPT_ROOM (64 * 1024)
/* How it ends where it is not process 1. */
#define EXIT_NOT_FIRST 71

enum request_type { SPAWN = 1, INPUT = 2, INPUT_END = 3, SIGNAL = 4, KILL = 5 };
enum reply_type { HELLO = 1, OUT = 2, ERR = 3, ENDED = 4, TAKEN = 5 };
enum state { FREE = 0, RUNNING, SWEEPING, DRAINING };

struct run {
  enum state state;
  uint32_t id;
  pid_t leader;
  bool is_file_operation;
  int status;
  struct pipes pipes;
  uint8_t *input;
  size_t input_from, input_length;
  bool is_input_over;
  /* Input that was passed on (or thrown away) and not yet told. */
  uint32_t taken;
  uint64_t out_bytes, err_bytes;
  /* While draining: what still lies in the pipes. */
  size_t out_left, err_left;
  long kills_before;
  struct start_error error;
};

static struct run runs[MOST_RUNS];
static uint8_t request[HEADER + MOST_REQUEST];
static size_t request_length;
static uint8_t output[OUTPUT];
static size_t output_from, output_length;
static int control_in, control_out;

/* For process 1 that is what runs in its container; for any other process it would be every program of its user. */
static void kill_everything(void) {
  if (getpid() == 1) kill(-1, SIGKILL);
}

static _Noreturn void end_everything(int code) {
  kill_everything();
  _exit(code);
}

static void put32(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i += 1) at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t get32(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static size_t room(void) {
  if (output_from > 0) {
    memmove(output, output + output_from, output_length);
    output_from = 0;
  }
  return OUTPUT - output_length;
}

/* The caller has made sure of the room. */
static void put_frame(enum reply_type type, uint32_t id, const uint8_t *payload, size_t length) {
  uint8_t *at = output + output_from + output_length;
  put32(at, (uint32_t)length);
  at[4] = (uint8_t)type;
  put32(at + 5, id);
  if (payload != NULL) memcpy(at + HEADER, payload, length);
  output_length += HEADER + length;
}

static void flush_output(void) {
  while (output_length > 0) {
    ssize_t written = write(control_out, output + output_from, output_length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    if (written <= 0) end_everything(1);
    output_from += (size_t)written;
    output_length -= (size_t)written;
  }
  output_from = 0;
}

/* How many processes the kernel has killed for their memory; -1 where that cannot be known. */
static long memory_kills(void) {
  static const char *const files[] = {"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"};
  for (size_t i = 0; i < 2; i += 1) {
    char text[512];
    int file = open(files[i], O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *found = strstr(text, "oom_kill ");
    if (found != NULL) return strtol(found + strlen("oom_kill "), NULL, 10);
  }
  return -1;
}

static struct run *find_run(uint32_t id) {
  for (size_t i = 0; i < MOST_RUNS; i += 1)
    if (runs[i].state != FREE && runs[i].id == id) return &runs[i];
  return NULL;
}

static void close_end(int *file) {
  if (*file >= 0) close(*file);
  *file = -1;
}

/* Where nobody reads the input any more it is taken and thrown away: not reading is a command's right. */
static void drop_input(struct run *run) {
  close_end(&run->pipes.in);
  run->taken += (uint32_t)run->input_length;
  run->input_length = 0;
  run->input_from = 0;
}

static void begin_draining(struct run *run) {
  int left;
  struct start_error error;
  if (read(run->pipes.why, &error, sizeof error) == (ssize_t)sizeof error) run->error = error;
  close_end(&run->pipes.why);
  drop_input(run);
  run->out_left = run->pipes.out >= 0 && ioctl(run->pipes.out, FIONREAD, &left) == 0 ? (size_t)left : 0;
  run->err_left = run->pipes.err >= 0 && ioctl(run->pipes.err, FIONREAD, &left) == 0 ? (size_t)left : 0;
  run->state = DRAINING;
}

/* Everything of it is dead and all that it printed has gone out. */
static void finish(struct run *run) {
  uint8_t payload[26];
  bool is_signal = WIFSIGNALED(run->status);
  put32(payload, is_signal ? 128 + (uint32_t)WTERMSIG(run->status) : (uint32_t)WEXITSTATUS(run->status));
  payload[4] = (uint8_t)run->error.stage;
  put32(payload + 5, (uint32_t)run->error.code);
  payload[9] = !run->is_file_operation && memory_kills() > run->kills_before;
  put32(payload + 10, (uint32_t)(run->out_bytes >> 32));
  put32(payload + 14, (uint32_t)run->out_bytes);
  put32(payload + 18, (uint32_t)(run->err_bytes >> 32));
  put32(payload + 22, (uint32_t)run->err_bytes);
  put_frame(ENDED, run->id, payload, sizeof payload);
  free(run->input);
  *run = (struct run){.state = FREE};
}

/* Strings, each ended by NUL, after their count of 16 bits; null where they do not fit into the request. */
static char **take_strings(uint8_t **at, const uint8_t *end) {
  if (end - *at < 2) return NULL;
  size_t count = (size_t)(*at)[0] << 8 | (*at)[1];
  *at += 2;
  char **strings = calloc(count + 1, sizeof *strings);
  if (strings == NULL) return NULL;
  for (size_t i = 0; i < count; i += 1) {
    uint8_t *stop = memchr(*at, '\0', (size_t)(end - *at));
    if (stop == NULL) {
      free(strings);
      return NULL;
    }
    strings[i] = (char *)*at;
    *at = stop + 1;
  }
  return strings;
}

static void tell_not_started(uint32_t id, int code) {
  uint8_t payload[26] = {0};
  put32(payload, 126);
  payload[4] = STAGE_SYSTEM;
  put32(payload + 5, (uint32_t)code);
  if (room() < HEADER + sizeof payload) end_everything(1);
  put_frame(ENDED, id, payload, sizeof payload);
}

/* Flags (1: a file operation, 2: there will be input), then the folder, the environment and the arguments. */
static void take_spawn(uint32_t id, uint8_t *at, const uint8_t *end) {
  if (end - at < 1) end_everything(70);
  uint8_t flags = *at;
  at += 1;
  char **folder = take_strings(&at, end);
  char **env = folder == NULL ? NULL : take_strings(&at, end);
  char **argv = env == NULL ? NULL : take_strings(&at, end);
  if (argv == NULL || folder[0] == NULL || argv[0] == NULL) end_everything(70);
  struct run *run = NULL;
  for (size_t i = 0; i < MOST_RUNS && run == NULL; i += 1)
    if (runs[i].state == FREE) run = &runs[i];
  struct request wanted = {
      .is_file_operation = (flags & 1) != 0,
      .has_input = (flags & 2) != 0,
      .folder = folder[0],
      .argv = argv,
      .env = env,
  };
  struct run made = {.state = RUNNING, .id = id, .is_file_operation = wanted.is_file_operation};
  made.kills_before = made.is_file_operation ? -1 : memory_kills();
  errno = EAGAIN;
  made.leader = run == NULL ? -1 : spawn_run(&wanted, &made.pipes);
  if (made.leader < 0) tell_not_started(id, errno);
  else *run = made;
  free(folder);
  free(env);
  free(argv);
}

static void take_input(struct run *run, const uint8_t *bytes, size_t length) {
  if (run->pipes.in < 0) {
    run->taken += (uint32_t)length;
    return;
  }
  if (run->input_length + length > WINDOW) end_everything(70);
  if (run->input == NULL) run->input = malloc(WINDOW);
  if (run->input == NULL) {
    run->taken += (uint32_t)length;
    drop_input(run);
    return;
  }
  if (run->input_from + run->input_length + length > WINDOW) {
    memmove(run->input, run->input + run->input_from, run->input_length);
    run->input_from = 0;
  }
  memcpy(run->input + run->input_from + run->input_length, bytes, length);
  run->input_length += length;
}

static void pass_input(struct run *run) {
  while (run->input_length > 0 && run->pipes.in >= 0) {
    ssize_t written = write(run->pipes.in, run->input + run->input_from, run->input_length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    if (written < 0) {
      drop_input(run);
      return;
    }
    run->input_from += (size_t)written;
    run->input_length -= (size_t)written;
    run->taken += (uint32_t)written;
  }
  run->input_from = 0;
  if (run->is_input_over) close_end(&run->pipes.in);
}

static size_t living(pid_t *leaders) {
  size_t count = 0;
  for (size_t i = 0; i < MOST_RUNS; i += 1)
    if (runs[i].state == RUNNING) leaders[count++] = runs[i].leader;
  return count;
}

/* With its keeper gone all that a run had is without an owner, and is killed as such. */
static void kill_run(const struct run *run) {
  if (run->state == RUNNING) kill(run->leader, SIGKILL);
}

static void signal_run(const struct run *run, int number) {
  if (run->state != RUNNING || number < 1 || number > 64) return;
  if (run->is_file_operation) kill(run->leader, number);
  else if (take_snapshot()) signal_tree(run->leader, number);
}

static void take_request(uint8_t type, uint32_t id, uint8_t *payload, size_t length) {
  struct run *run = find_run(id);
  if (type == SPAWN && run == NULL) {
    take_spawn(id, payload, payload + length);
    return;
  }
  /* What is sent for a run that has ended meanwhile is late, not wrong. */
  if (run == NULL) return;
  if (type == INPUT) take_input(run, payload, length);
  else if (type == INPUT_END) run->is_input_over = true;
  else if (type == SIGNAL && length == 1) signal_run(run, payload[0]);
  else if (type == KILL) kill_run(run);
  else end_everything(70);
  pass_input(run);
}

static void take_requests(void) {
  ssize_t length = read(control_in, request + request_length, sizeof request - request_length);
  if (length < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (length <= 0) end_everything(0);
  request_length += (size_t)length;
  size_t from = 0;
  while (request_length - from >= HEADER) {
    size_t size = get32(request + from);
    if (size > MOST_REQUEST) end_everything(70);
    if (request_length - from < HEADER + size) break;
    take_request(request[from + 4], get32(request + from + 5), request + from + HEADER, size);
    from += HEADER + size;
  }
  request_length -= from;
  if (from > 0) memmove(request, request + from, request_length);
}

/* Reads once of one stream, into the frame itself. */
static void pass_output(struct run *run, enum reply_type type) {
  int *file = type == OUT ? &run->pipes.out : &run->pipes.err;
  size_t *left = type == OUT ? &run->out_left : &run->err_left;
  if (*file < 0 || room() < KEPT_ROOM + HEADER + PIECE) return;
  size_t wanted = run->state == DRAINING && *left < PIECE ? *left : PIECE;
  ssize_t length = wanted == 0 ? 0 : read(*file, output + output_length + HEADER, wanted);
  if (length < 0 && errno == EINTR) return;
  if (length < 0 && errno == EAGAIN && run->state != DRAINING) return;
  if (length <= 0) {
    close_end(file);
    *left = 0;
    return;
  }
  put_frame(type, run->id, NULL, (size_t)length);
  *(type == OUT ? &run->out_bytes : &run->err_bytes) += (uint64_t)length;
  if (run->state == DRAINING) *left -= (size_t)length;
}

/* Returns whether nothing at all is left below process 1. */
static bool reap(void) {
  for (;;) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG | WUNTRACED);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return pid < 0;
    for (size_t i = 0; i < MOST_RUNS; i += 1) {
      struct run *run = &runs[i];
      if (run->state != RUNNING || run->leader != pid) continue;
      if (WIFSTOPPED(status)) {
        /* Only a command that wants to outlive its run stops its keeper. */
        kill_run(run);
      } else {
        run->status = status;
        run->state = SWEEPING;
        if (run->is_file_operation) begin_draining(run);
      }
    }
  }
}

/* One look can miss a process that was born behind it: two count. */
static bool is_clean(const pid_t *leaders, size_t count) {
  for (int look = 0; look < 2; look += 1)
    if (!take_snapshot() || kill_strays(leaders, count) > 0) return false;
  return true;
}

/*
 * Ends what ended commands have left behind; true while some of it may still live. What the engine started in the
 * container by itself is no child of process 1 and is left alone, unless something cannot be killed in any other way.
 */
static bool sweep(bool is_nothing_left) {
  static int rounds;
  pid_t leaders[MOST_RUNS];
  bool is_needed = false;
  for (size_t i = 0; i < MOST_RUNS; i += 1) is_needed = is_needed || runs[i].state == SWEEPING;
  if (!is_needed) return false;
  size_t count = living(leaders);
  if (!is_nothing_left && !is_clean(leaders, count)) {
    rounds += 1;
    if (count == 0 && rounds > PATIENT_ROUNDS) kill_everything();
    return true;
  }
  rounds = 0;
  for (size_t i = 0; i < MOST_RUNS; i += 1)
    if (runs[i].state == SWEEPING) begin_draining(&runs[i]);
  return false;
}

static void pass_everything(void) {
  for (size_t i = 0; i < MOST_RUNS; i += 1) {
    struct run *run = &runs[i];
    if (run->state == FREE) continue;
    pass_input(run);
    pass_output(run, OUT);
    pass_output(run, ERR);
    if (room() < KEPT_ROOM) continue;
    if (run->taken > 0) {
      uint8_t payload[4];
      put32(payload, run->taken);
      put_frame(TAKEN, run->id, payload, sizeof payload);
      run->taken = 0;
    }
    bool is_drained = (run->pipes.out < 0 || run->out_left == 0) && (run->pipes.err < 0 || run->err_left == 0);
    if (run->state == DRAINING && is_drained) {
      close_end(&run->pipes.out);
      close_end(&run->pipes.err);
      finish(run);
    }
  }
}

static void serve(int signals) {
  static struct pollfd files[3 + 3 * MOST_RUNS];
  bool is_sweeping = false;
  for (;;) {
    bool has_room = room() >= KEPT_ROOM + HEADER + PIECE;
    nfds_t count = 0;
    bool is_draining = false;
    files[count++] = (struct pollfd){.fd = control_in, .events = POLLIN};
    files[count++] = (struct pollfd){.fd = output_length > 0 ? control_out : -1, .events = POLLOUT};
    files[count++] = (struct pollfd){.fd = signals, .events = POLLIN};
    for (size_t i = 0; i < MOST_RUNS; i += 1) {
      const struct run *run = &runs[i];
      if (run->state == FREE) continue;
      is_draining = is_draining || run->state == DRAINING;
      files[count++] = (struct pollfd){.fd = has_room ? run->pipes.out : -1, .events = POLLIN};
      files[count++] = (struct pollfd){.fd = has_room ? run->pipes.err : -1, .events = POLLIN};
      files[count++] = (struct pollfd){.fd = run->input_length > 0 ? run->pipes.in : -1, .events = POLLOUT};
    }
    int wait = is_draining && has_room ? 0 : is_sweeping ? SWEEP_MS : -1;
    if (poll(files, count, wait) < 0 && errno != EINTR) end_everything(1);
    if (files[0].revents != 0) take_requests();
    struct signalfd_siginfo information;
    while (read(signals, &information, sizeof information) > 0) continue;
    is_sweeping = sweep(reap());
    pass_everything();
    flush_output();
  }
}

static int keep_signals_away(void) {
  for (int number = 1; number < 65; number += 1)
    if (number != SIGCHLD) signal(number, SIG_IGN);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, NULL);
  return signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The lines to the app move out of the way of 0, 1 and 2, which are given to what is started, and close on exec. */
static void take_control(void) {
  control_in = fcntl(0, F_DUPFD_CLOEXEC, 10);
  control_out = fcntl(1, F_DUPFD_CLOEXEC, 10);
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (control_in < 0 || control_out < 0 || nothing < 0) _exit(1);
  for (int file = 0; file < 3; file += 1)
    if (nothing != file) dup3(nothing, file, O_CLOEXEC);
  fcntl(control_in, F_SETFL, fcntl(control_in, F_GETFL) | O_NONBLOCK);
  fcntl(control_out, F_SETFL, fcntl(control_out, F_GETFL) | O_NONBLOCK);
}

int main(void) {
  /* Strays are found by their parent, which is process 1: anywhere else they would be other people's programs. */
  if (getpid() != 1) {
    dprintf(2, "The runner has to be process 1 of a container of its own. Nothing was done.\n");
    return EXIT_NOT_FIRST;
  }
  if (prctl(PR_SET_DUMPABLE, 0) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return 1;
  take_control();
  int signals = keep_signals_away();
  if (signals < 0) return 1;
  umask(022);
  uint8_t version = VERSION;
  put_frame(HELLO, 0, &version, 1);
  flush_output();
  serve(signals);
}
