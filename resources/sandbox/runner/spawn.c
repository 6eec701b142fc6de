/* Starts a run: pipes, the keeper, the command. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { NEAR = 0, FAR = 1 };
/* By stream: the end that process 1 keeps, and the end that the run gets. */
struct ends {
  int in[2], out[2], err[2], why[2];
};

static void close_all(struct ends *ends, int side) {
  int *all[] = {ends->in, ends->out, ends->err, ends->why};
  for (size_t i = 0; i < 4; i += 1) {
    if (all[i][side] >= 0) close(all[i][side]);
    all[i][side] = -1;
  }
}

/* Every descriptor closes on exec, so that a command sees its own three and nothing of the runner's. */
static bool make_pipe(int ends[2], bool is_input) {
  int made[2];
  if (pipe2(made, O_CLOEXEC) != 0) return false;
  ends[NEAR] = is_input ? made[1] : made[0];
  ends[FAR] = is_input ? made[0] : made[1];
  return fcntl(ends[NEAR], F_SETFL, O_NONBLOCK) == 0;
}

static bool open_ends(struct ends *ends, bool has_input) {
  bool is_open = make_pipe(ends->out, false) && make_pipe(ends->err, false) && make_pipe(ends->why, false);
  if (!is_open) return false;
  if (has_input) return make_pipe(ends->in, true);
  ends->in[FAR] = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return ends->in[FAR] >= 0;
}

/* Ignored signals stay ignored across exec, and a shell cannot even trap them: commands begin with none. */
static void restore_signals(void) {
  for (int number = 1; number < 65; number += 1) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void fail_to_start(int why, int stage) {
  struct start_error error = {.stage = stage, .code = errno};
  ssize_t written = write(why, &error, sizeof error);
  _exit(written == (ssize_t)sizeof error ? 127 : 126);
}

/* As dup2, also where both are the same: the copy has to live past exec. */
static bool place(int from, int to) {
  if (from == to) return fcntl(to, F_SETFD, 0) == 0;
  return dup2(from, to) == to;
}

static bool take_streams(struct ends *ends) {
  return place(ends->in[FAR], 0) && place(ends->out[FAR], 1) && place(ends->err[FAR], 2);
}

/* What the request names wins over what the container has. */
static char **environment_of(char **wanted) {
  size_t count = 0;
  for (char **entry = wanted; *entry != NULL; entry += 1) count += 1;
  for (char **entry = environ; *entry != NULL; entry += 1) count += 1;
  char **all = calloc(count + 1, sizeof *all);
  if (all == NULL) return NULL;
  size_t filled = 0;
  for (char **entry = wanted; *entry != NULL; entry += 1) all[filled++] = *entry;
  for (char **entry = environ; *entry != NULL; entry += 1) {
    size_t name = strcspn(*entry, "=") + 1;
    bool is_wanted = false;
    for (char **other = wanted; *other != NULL && !is_wanted; other += 1) is_wanted = strncmp(*entry, *other, name) == 0;
    if (!is_wanted) all[filled++] = *entry;
  }
  return all;
}

/* Older systems have no call for it; there the limit of descriptors says where to end. */
static void close_from(unsigned first) {
  if (close_range(first, ~0U, 0) == 0) return;
  struct rlimit limit;
  unsigned end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (unsigned)limit.rlim_cur : 65536;
  for (unsigned file = first; file < end; file += 1) close((int)file);
}

static _Noreturn void become_command(const struct request *request, struct ends *ends) {
  char **env = environment_of(request->env);
  restore_signals();
  setsid();
  if (env == NULL || !take_streams(ends)) fail_to_start(ends->why[FAR], STAGE_SYSTEM);
  if (chdir(request->folder) != 0) fail_to_start(ends->why[FAR], STAGE_FOLDER);
  execve(request->argv[0], request->argv, env);
  fail_to_start(ends->why[FAR], STAGE_EXEC);
}

/*
 * Stays above one command, so that what detaches itself remains below it, and ends with the command's code as a shell
 * gives it. It shares the runner's memory image that nobody may look into, and holds none of its descriptors. Killing or
 * stopping it ends the run.
 */
static _Noreturn void become_keeper(const struct request *request, struct ends *ends) {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail_to_start(ends->why[FAR], STAGE_SYSTEM);
  pid_t command = fork();
  if (command < 0) fail_to_start(ends->why[FAR], STAGE_SYSTEM);
  if (command == 0) become_command(request, ends);
  close_from(0);
  for (;;) {
    int status;
    pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) _exit(126);
    if (ended != command) continue;
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  }
}

static _Noreturn void become_file_operation(const struct request *request, struct ends *ends) {
  if (!take_streams(ends)) _exit(EXIT_FAILED);
  close_from(3);
  signal(SIGTERM, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  _exit(run_file_operation(request->argv));
}

pid_t spawn_run(const struct request *request, struct pipes *pipes) {
  struct ends ends = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
  pid_t leader = open_ends(&ends, request->has_input) ? fork() : -1;
  if (leader == 0) {
    if (request->is_file_operation) become_file_operation(request, &ends);
    become_keeper(request, &ends);
  }
  int problem = errno;
  close_all(&ends, FAR);
  if (leader < 0) {
    close_all(&ends, NEAR);
    errno = problem;
    return -1;
  }
  *pipes = (struct pipes){.in = ends.in[NEAR], .out = ends.out[NEAR], .err = ends.err[NEAR], .why = ends.why[NEAR]};
  return leader;
}
