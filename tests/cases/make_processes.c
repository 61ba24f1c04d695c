// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
//   make_processes N: makes N processes that live beside this one, and says how many there were.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int ends[2];
  if (argc != 2 || pipe(ends) != 0) return 2;
  const int wanted = atoi(argv[1]);
  int made = 0;
  int error = 0;
  for (; made < wanted; ++made) {
    const pid_t pid = fork();
    if (pid < 0) {
      error = errno;
      break;
    }
    if (pid == 0) {
      char byte;
      close(ends[1]);
      _exit(read(ends[0], &byte, 1) != 0);
    }
  }
  close(ends[1]);
  while (wait(NULL) > 0) continue;
  printf("made %d%s\n", made, error == EAGAIN ? " EAGAIN" : "");
  return error != 0;
}
