// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
//   attack NAME [ARGUMENT]: one forbidden act, for which no ordinary program exists. Prints "done"
//   and exits with 0 where it succeeded, else with the error's name on stderr and 1.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int outcome(long result) {
  if (result >= 0) {
    puts("done");
    return 0;
  }
  fprintf(stderr, "%s\n", strerrorname_np(errno));
  return 1;
}

// A set-user-id file made without O_CREAT: O_TMPFILE, then a name for it.
static int temporary_set_id(const char* name) {
  int fd = open(".", O_TMPFILE | O_RDWR, 04755);
  if (fd < 0) return outcome(-1);
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  return outcome(linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW));
}

// Opens for reading, then again for writing through /proc.
static int open_again(const char* path) {
  int fd = open(path, O_PATH);
  if (fd < 0) return outcome(-1);
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  return outcome(open(link, O_WRONLY | O_TRUNC));
}

static int reopened_handle(const char* path) {
  struct {
    struct file_handle head;
    char bytes[128];
  } handle;
  int mount = 0;
  handle.head.handle_bytes = sizeof handle.bytes;
  if (name_to_handle_at(AT_FDCWD, path, &handle.head, &mount, 0) != 0) return outcome(-1);
  int root = open("/", O_RDONLY);
  return outcome(open_by_handle_at(root, &handle.head, O_RDONLY));
}

static int change_flags(const char* path) {
  int fd = open(path, O_RDONLY);
  int flags = 0;
  if (fd < 0 || ioctl(fd, _IOR('f', 1, long), &flags) != 0) return outcome(-1);
  flags ^= 0x40;  // FS_NODUMP_FL
  return outcome(ioctl(fd, _IOW('f', 2, long), &flags));
}

// With `family`, of which the other arguments are the socket's.
static int make_socket(int family, int type, int protocol) {
  return outcome(socket(family, type, protocol));
}

static int connect_to(const char* path, int type) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  int fd = socket(AF_UNIX, type, 0);
  if (fd < 0) return outcome(-1);
  return outcome(connect(fd, (struct sockaddr*)&address, sizeof address));
}

// One thread connects to its own socket, another puts the host's address in place of it.
static struct sockaddr_un shared_address;
static const char *own_socket, *host_socket;

static void* exchange_address(void* unused) {
  for (;;) {
    strcpy(shared_address.sun_path, host_socket);
    strcpy(shared_address.sun_path, own_socket);
  }
  return unused;
}

// The host's socket greets; the own one says nothing.
static int race_connect(const char* host) {
  own_socket = "own.sock";
  host_socket = host;
  shared_address.sun_family = AF_UNIX;
  strcpy(shared_address.sun_path, own_socket);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_un own = shared_address;
  if (bind(listener, (struct sockaddr*)&own, sizeof own) != 0 || listen(listener, 4096) != 0)
    return outcome(-1);
  pthread_t thread;
  pthread_create(&thread, NULL, exchange_address, NULL);
  for (int i = 0; i < 3000; ++i) {
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un peer;
    socklen_t size = sizeof peer;
    if (connect(fd, (struct sockaddr*)&shared_address, sizeof shared_address) == 0) {
      memset(&peer, 0, sizeof peer);
      if (getpeername(fd, (struct sockaddr*)&peer, &size) == 0 &&
          strcmp(peer.sun_path, own_socket) != 0)
        return outcome(0);
      int accepted = accept(listener, NULL, NULL);
      if (accepted >= 0) close(accepted);
    }
    close(fd);
  }
  errno = EACCES;
  return outcome(-1);
}

// A creating call is let through with a harmless name. Before the kernel reads the name, the thread
// is starved by the idle class, for longer than anybody should wait, and the name exchanged.
static char shared_name[64] = "harmless";
static volatile pid_t creator;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void* create_again_and_again(void* unused) {
  creator = (pid_t)syscall(SYS_gettid);
  for (;;) {
    double start = seconds();
    int fd = open(shared_name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    close(fd);
    if (seconds() - start > 1) return unused;
    unlink("harmless");
  }
}

static char state_of(pid_t thread) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  int fd = open(path, O_RDONLY);
  ssize_t size = read(fd, text, sizeof text - 1);
  close(fd);
  if (size <= 0) return '?';
  text[size] = '\0';
  const char* end = strrchr(text, ')');
  return end == NULL ? '?' : end[2];
}

enum { kSpinners = 40 };

static int starve_creation(const char* wanted) {
  pid_t spinners[kSpinners];
  const double hold = 3;
  for (int i = 0; i < kSpinners; ++i) {
    spinners[i] = fork();
    if (spinners[i] == 0)
      for (double start = seconds(); seconds() - start < hold + 12;) continue;
    if (spinners[i] == 0) _exit(0);
  }
  pthread_t thread;
  pthread_create(&thread, NULL, create_again_and_again, NULL);
  while (creator == 0) continue;
  struct sched_param none = {0};
  while (state_of(creator) != 'S') continue;
  sched_setscheduler(creator, SCHED_IDLE, &none);
  while (state_of(creator) == 'S') continue;
  for (double start = seconds(); seconds() - start < hold;) continue;
  strcpy(shared_name, wanted);
  for (int i = 0; i < kSpinners; ++i) kill(spinners[i], SIGKILL);
  pthread_join(thread, NULL);
  errno = EAGAIN;  // the thread was too fast: nothing was shown
  struct stat status;
  int result = outcome(stat(wanted, &status) == 0 || stat("harmless", &status) != 0 ? 0 : -1);
  fflush(NULL);
  for (;;) pause();  // whoever ends the run does it from outside
  return result;
}

static int attach(const char* pid) {
  return outcome(ptrace(PTRACE_SEIZE, (pid_t)atoi(pid), NULL, NULL));
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  const char* argument = argc > 2 ? argv[2] : "";
  if (strcmp(name, "temporary-set-id") == 0) return temporary_set_id(argument);
  if (strcmp(name, "open-again") == 0) return open_again(argument);
  if (strcmp(name, "reopened-handle") == 0) return reopened_handle(argument);
  if (strcmp(name, "change-flags") == 0) return change_flags(argument);
  if (strcmp(name, "starve-creation") == 0) return starve_creation(argument);
  if (strcmp(name, "connect") == 0) return connect_to(argument, SOCK_STREAM);
  if (strcmp(name, "connect-packets") == 0) return connect_to(argument, SOCK_SEQPACKET);
  if (strcmp(name, "connect-datagram") == 0) return connect_to(argument, SOCK_DGRAM);
  if (strcmp(name, "race-connect") == 0) return race_connect(argument);
  if (strcmp(name, "attach") == 0) return attach(argument);
  if (strcmp(name, "kill") == 0) return outcome(kill((pid_t)atoi(argument), SIGKILL));
  if (strcmp(name, "socket") == 0 && argc == 5)
    return make_socket(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
  if (strcmp(name, "truncate") == 0) return outcome(truncate(argument, 0));
  if (strcmp(name, "chmod") == 0) return outcome(chmod(argument, 0777));
  if (strcmp(name, "mknod-disk") == 0)
    return outcome(mknod(argument, S_IFCHR | 0600, (1 << 8) | 3));
  if (strcmp(name, "unshare") == 0) return outcome(unshare(CLONE_NEWUSER));
  if (strcmp(name, "io-uring") == 0) {
    char parameters[128] = {0};
    return outcome(syscall(SYS_io_uring_setup, 1, parameters));
  }
  fprintf(stderr, "attack: unknown act\n");
  return 2;
}
