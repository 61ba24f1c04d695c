// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The init of the virtual machine's initramfs: loads the modules that its root disk needs, in the
// order of /modules, mounts the two disks and hands over to the program named on the kernel's
// command line as ward.next=PATH. Static, so that the initramfs holds nothing else.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void give_up(const char* what) {
  fprintf(stderr, "first: %s: %s\n", what, strerror(errno));
  reboot(RB_AUTOBOOT);
  _exit(1);
}

static void load_modules(void) {
  FILE* list = fopen("/modules", "r");
  if (list == NULL) give_up("/modules");
  char path[256];
  while (fgets(path, sizeof path, list) != NULL) {
    path[strcspn(path, "\n")] = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) != 0 && errno != EEXIST)) give_up(path);
    close(fd);
  }
  fclose(list);
}

static const char* next_program(char* line, size_t size) {
  FILE* file = fopen("/proc/cmdline", "r");
  if (file == NULL || fgets(line, (int)size, file) == NULL) give_up("/proc/cmdline");
  for (char* word = strtok(line, " \n"); word != NULL; word = strtok(NULL, " \n"))
    if (strncmp(word, "ward.next=", 10) == 0) return word + 10;
  return "/sbin/init";
}

// Probing a disk goes on after its module is loaded; a thousand turns of 10 ms bound the wait.
static void mount_disk(const char* device, const char* where, unsigned long flags) {
  for (int tries = 1000; mount(device, where, "ext4", flags, NULL) != 0; --tries) {
    if (tries == 0) give_up(device);
    usleep(10000);
  }
}

int main(void) {
  mkdir("/proc", 0755);
  mkdir("/dev", 0755);
  mkdir("/root", 0755);
  if (mount("proc", "/proc", "proc", 0, NULL) != 0) give_up("mount /proc");
  if (mount("dev", "/dev", "devtmpfs", 0, NULL) != 0 && errno != EBUSY) give_up("mount /dev");
  char line[4096];
  const char* next = next_program(line, sizeof line);
  load_modules();
  mount_disk("/dev/vda", "/root", 0);
  mount_disk("/dev/vdb", "/root/payload", MS_RDONLY);
  umount2("/proc", MNT_DETACH);
  if (mount("/dev", "/root/dev", NULL, MS_MOVE, NULL) != 0) give_up("move /dev");
  if (chdir("/root") != 0 || mount("/root", "/", NULL, MS_MOVE, NULL) != 0 || chroot(".") != 0)
    give_up("enter the root disk");
  execl(next, next, (char*)NULL);
  give_up(next);
}
