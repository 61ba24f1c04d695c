// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
//   denied_acts HIDDEN CLOSED OWN: tries each act on HIDDEN (a folder that may not be read) and on
//   CLOSED (one that may not be written), by path, relative path, descriptor and symbolic link,
//   from OWN. Prints a line for each that succeeded; exits 0 if none did.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static int succeeded;

static void tried(const char* act, int result) {
  if (result < 0) return;
  ++succeeded;
  printf("succeeded: %s\n", act);
}

static const char* in(const char* folder, const char* name) {
  static char path[2][4096];
  static int next;
  next = !next;
  snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
  return path[next];
}

static int run(const char* program) {
  int status = 0;
  const pid_t pid = fork();
  if (pid == 0) {
    execl(program, "tool", NULL);
    _exit(126);
  }
  return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

static int bind_at(const char* path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  return bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr*)&address, sizeof address);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const char *hidden = argv[1], *closed = argv[2];
  if (chdir(argv[3]) != 0) return 2;
  const int folder = open(closed, O_PATH | O_DIRECTORY);
  const int file = open(in(closed, "by-descriptor"), O_RDONLY);
  if (folder < 0 || file < 0) return 2;

  tried("opendir", open(hidden, O_RDONLY | O_DIRECTORY));
  tried("chdir", chdir(hidden));
  tried("open", open(in(hidden, "key"), O_RDONLY));
  tried("open by a link", open("link", O_RDONLY));
  tried("exec", run(in(hidden, "tool")));
  tried("create in hidden", open(in(hidden, "new"), O_WRONLY | O_CREAT, 0600));

  tried("write", open(in(closed, "write"), O_WRONLY));
  tried("append relative", open("../closed/relative", O_WRONLY | O_APPEND));
  tried("write at", openat(folder, "at", O_RDWR));
  tried("truncate", truncate(in(closed, "truncate"), 0));
  tried("chmod", chmod(in(closed, "chmod"), 0600));
  tried("fchmod", fchmod(file, 0600));
  tried("chown", lchown(in(closed, "chown"), getuid(), getgid()));
  tried("utime", utimensat(folder, "utime", NULL, 0));
  tried("setxattr", setxattr(in(closed, "setxattr"), "user.a", "b", 1, 0));
  tried("removexattr", removexattr(in(closed, "removexattr"), "user.a"));
  tried("unlink", unlink(in(closed, "unlink")));
  tried("rmdir", rmdir(in(closed, "rmdir")));
  tried("rename from", rename(in(closed, "rename"), "moved"));
  tried("rename to", rename("mine", in(closed, "renamed")));
  tried("mkdir", mkdir(in(closed, "mkdir"), 0700));
  tried("symlink", symlink("x", in(closed, "symlink")));
  tried("link", link("mine", in(closed, "link")));
  tried("create", open(in(closed, "create"), O_WRONLY | O_CREAT, 0600));
  tried("mkfifo", mkfifo(in(closed, "mkfifo"), 0600));
  tried("bind", bind_at("../closed/bind"));
  return succeeded != 0;
}
