/*
 * Which processes belong to which run. Every command has a keeper above it that is a subreaper: what detaches itself
 * becomes the keeper's child, so that the way up from any process leads to the keeper of its run. When a keeper is gone
 * what it had becomes a child of process 1; a child of process 1 that leads no run is therefore a stray.
 */
#include "runner.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More processes than any limit lets be; where there are more, process 1 falls back on killing everything. */
#define MOST_PROCESSES 65536

struct process {
  pid_t pid;
  pid_t parent;
  bool is_dead;
};

static struct process processes[MOST_PROCESSES];
static size_t process_count;

static int by_pid(const void *left, const void *right) {
  pid_t one = ((const struct process *)left)->pid, other = ((const struct process *)right)->pid;
  return one < other ? -1 : one > other;
}

/* The name of a program stands in brackets and may itself hold brackets and spaces: the last bracket ends it. */
static bool read_stat(int proc, const char *name, struct process *process) {
  char path[32], text[1024];
  snprintf(path, sizeof path, "%.20s/stat", name);
  int file = openat(proc, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return false;
  text[length] = '\0';
  const char *end = strrchr(text, ')');
  char state;
  int parent;
  if (end == NULL || sscanf(end + 1, " %c %d", &state, &parent) != 2) return false;
  *process = (struct process){.pid = atoi(name), .parent = parent, .is_dead = state == 'Z' || state == 'X'};
  return true;
}

/* Looks at all processes; false where they cannot be seen or are too many. */
bool take_snapshot(void) {
  process_count = 0;
  DIR *proc = opendir("/proc");
  if (proc == NULL) return false;
  bool is_whole = true;
  for (struct dirent *entry = readdir(proc); entry != NULL; entry = readdir(proc)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    if (process_count == MOST_PROCESSES) {
      is_whole = false;
      break;
    }
    if (read_stat(dirfd(proc), entry->d_name, &processes[process_count])) process_count += 1;
  }
  closedir(proc);
  qsort(processes, process_count, sizeof processes[0], by_pid);
  return is_whole;
}

/* The child of process 1 at the top of the way up; 0 where the way leads elsewhere. */
static pid_t top_of(const struct process *process) {
  for (size_t steps = 0; steps <= process_count; steps += 1) {
    if (process->parent == 1) return process->pid;
    struct process wanted = {.pid = process->parent};
    process = bsearch(&wanted, processes, process_count, sizeof processes[0], by_pid);
    if (process == NULL) return 0;
  }
  return 0;
}

/* Sends a signal to all that a run has started, by the last snapshot; returns how many there were. */
int signal_tree(pid_t leader, int signal) {
  int found = 0;
  for (size_t i = 0; i < process_count; i += 1) {
    const struct process *process = &processes[i];
    if (process->is_dead || process->pid <= 1 || process->pid == leader || top_of(process) != leader) continue;
    found += 1;
    kill(process->pid, signal);
  }
  return found;
}

/* Kills what belongs to no run, by the last snapshot; returns how many there were. */
int kill_strays(const pid_t *leaders, size_t count) {
  int found = 0;
  for (size_t i = 0; i < process_count; i += 1) {
    const struct process *process = &processes[i];
    if (process->is_dead || process->pid <= 1) continue;
    pid_t top = top_of(process);
    bool is_owned = top == 0;
    for (size_t at = 0; at < count && !is_owned; at += 1) is_owned = leaders[at] == top;
    if (is_owned) continue;
    found += 1;
    kill(process->pid, SIGKILL);
  }
  return found;
}
