// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// `ward run --review` attacked from inside: nothing reaches the host before it is applied, and what
// was protected stays so when it is. Everything that is held was written by the attacker.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/needs.h"
#include "support/paths.h"
#include "support/sandbox.h"

namespace ward::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class Review : public testing::Test {
 protected:
  // Runs the script with its changes held; the id under which they are.
  std::string hold(const std::string& script) {
    sandbox_.options = {"--review"};
    result_ = sandbox_.run(script);
    return result_.report.is_object() && result_.report.contains("review")
               ? result_.report["review"].value("id", "")
               : "";
  }
  std::string held_folder(const std::string& id) const {
    return sandbox_.home() + "/.local/state/ward/held/" + id;
  }
  RunResult ward(std::vector<std::string> words) const {
    return run_ward(words, sandbox_.process_options());
  }
  std::string in_workspace(const std::string& name) const {
    return sandbox_.workspace() + "/" + name;
  }

  Sandbox sandbox_;
  SandboxResult result_;
};

#define REVIEW_NEEDS() NEEDS(user_namespaces, overlay_in_user_namespace)

TEST_F(Review, NothingReachesTheHostBeforeItIsApplied) {
  REVIEW_NEEDS();
  sandbox_.workspace_file("kept", "as it was\n");
  sandbox_.workspace_file("tree/deep/file", "deep\n");
  std::string script = "echo changed > kept; rm -r tree; mkdir new; echo n > new/n; cat kept new/n";
  std::string id = hold(script);
  EXPECT_EQ(result_.out, "changed\nn\n") << result_.err;
  EXPECT_EQ(read_text(in_workspace("kept")), "as it was\n");
  EXPECT_TRUE(fs::exists(in_workspace("tree/deep/file")));
  EXPECT_FALSE(fs::exists(in_workspace("new")));
  RunResult applied = ward({"apply", id});
  EXPECT_EQ(applied.status, 0) << applied.err;
  EXPECT_EQ(read_text(in_workspace("kept")), "changed\n");
  EXPECT_FALSE(fs::exists(in_workspace("tree")));
  EXPECT_EQ(read_text(in_workspace("new/n")), "n\n");
  EXPECT_FALSE(fs::exists(held_folder(id)));
  // The control: without --review the same script changes the host at once.
  sandbox_.options = {};
  sandbox_.run("echo again > kept");
  EXPECT_EQ(read_text(in_workspace("kept")), "again\n");
}

TEST_F(Review, TheHeldFolderIsOutOfReachFromInside) {
  REVIEW_NEEDS();
  std::string id =
      hold("echo x > x; ls ~/.local/state/ward; ls ~/.local/state/ward/held/*/0/upper");
  EXPECT_THAT(result_.out, Not(HasSubstr("held")));
  EXPECT_THAT(result_.err, HasSubstr("Permission denied"));
  EXPECT_TRUE(fs::exists(held_folder(id) + "/0/upper/x"));
  EXPECT_EQ(fs::status(held_folder(id)).permissions() & fs::perms::all, fs::perms::owner_all);
}

TEST_F(Review, ProtectedNamesHoldInsideAnOverlayToo) {
  REVIEW_NEEDS();
  NEEDS(tool("git"));
  sandbox_.outside("git init -q . && mkdir sub");
  for (const char* mechanism : {"guard", "emulate"}) {
    sandbox_.set_policy(
        "version: 1\nextends: workspace\nfilesystem: {protect: " + std::string(mechanism) + "}\n");
    std::string id = hold(
        "echo evil > .git/hooks/post-commit; mv .git moved; mkdir .vscode; "
        "ln -s /etc/passwd ward.yaml; echo x > sub/.env; mkdir own; mv own .idea; echo fine > "
        "fine");
    EXPECT_THAT(result_.err, HasSubstr("post-commit")) << mechanism;
    EXPECT_TRUE(fs::exists(held_folder(id) + "/0/upper/fine")) << mechanism << result_.err;
    for (const char* name : {".vscode", "ward.yaml", "sub/.env", ".idea", "moved"})
      EXPECT_FALSE(fs::is_symlink(held_folder(id) + "/0/upper/" + name) ||
                   fs::exists(held_folder(id) + "/0/upper/" + name))
          << mechanism << " " << name;
    EXPECT_EQ(ward({"discard", id}).status, 0);
  }
  EXPECT_EQ(sandbox_.outside("mkdir .vscode").status, 0);
}

// A racer may get a name past the guard; it lies in the overlay then, and goes no further.
TEST_F(Review, AProtectedNameThatIsHeldAllTheSameIsNotLanded) {
  REVIEW_NEEDS();
  std::string id = hold("echo fine > fine; mkdir sub; echo x > sub/x");
  std::string upper = held_folder(id) + "/0/upper/";
  fs::create_directory(upper + ".vscode");
  std::ofstream(upper + ".vscode/settings.json") << "{}";
  std::ofstream(upper + "sub/.env") << "A=b";
  RunResult applied = ward({"apply", id});
  EXPECT_EQ(applied.status, 1);
  EXPECT_THAT(applied.err, HasSubstr(".vscode/settings.json"));
  EXPECT_THAT(applied.err, HasSubstr("sub/.env"));
  EXPECT_FALSE(fs::exists(in_workspace("fine"))) << "all or nothing";
  EXPECT_EQ(ward({"apply", id, "--partly"}).status, 1);
  EXPECT_TRUE(fs::exists(in_workspace("fine")));
  EXPECT_TRUE(fs::exists(in_workspace("sub/x")));
  EXPECT_FALSE(fs::exists(in_workspace(".vscode")));
  EXPECT_FALSE(fs::exists(in_workspace("sub/.env")));
}

TEST_F(Review, LaterChangesOfTheHostAreConflicts) {
  REVIEW_NEEDS();
  for (const char* name : {"changed", "deleted", "gone", "same", "free"})
    sandbox_.workspace_file(name, "before\n");
  sandbox_.workspace_file("tree/a", "a\n");
  std::string id = hold(
      "for f in changed gone same free; do echo inside > $f; done; rm deleted; "
      "echo new > new; rm -r tree");
  sandbox_.outside(
      "echo host > changed; echo host > deleted; rm gone; echo host > new; "
      "echo inside > same; echo late > tree/late");
  RunResult applied = ward({"apply", id});
  EXPECT_EQ(applied.status, 1);
  for (const char* name : {"/changed", "/deleted", "/gone", "/new", "/tree/late"})
    EXPECT_THAT(applied.err, HasSubstr(name));
  EXPECT_THAT(applied.err, Not(HasSubstr("/free")));
  EXPECT_THAT(applied.err, Not(HasSubstr("/same")));
  EXPECT_EQ(read_text(in_workspace("free")), "before\n");
  EXPECT_EQ(ward({"apply", id, "free"}).status, 0);
  EXPECT_EQ(read_text(in_workspace("free")), "inside\n");
  EXPECT_EQ(read_text(in_workspace("changed")), "host\n");
  EXPECT_TRUE(fs::exists(in_workspace("tree/late")));
}

// The command says that it is ready, and goes on when the host has answered.
TEST_F(Review, WhatTheHostDeletesWhileTheCommandRunsIsAConflict) {
  REVIEW_NEEDS();
  for (const char* name : {"saved", "edited", "quiet/kept", "tree/inner"})
    sandbox_.workspace_file(name, "before\n");
  const std::string script = R"(
    mkfifo "$HOME/said" "$HOME/answer"
    "$0" run --review --result "$HOME/report" -- sh -c '
      echo inside > tree/inner; echo ready; read -r go
      echo inside > .saved.new && mv .saved.new saved; echo inside > edited
      echo new > quiet/new; mkdir quiet/folder; echo new > quiet/folder/new' \
      < "$HOME/answer" > "$HOME/said" &
    exec 3> "$HOME/answer"
    read -r ready < "$HOME/said"
    rm -r saved edited tree
    echo go >&3
    wait $!
    echo "$ready"
  )";
  const RunResult ran =
      test::run({"/bin/sh", "-c", script, ward_binary()}, sandbox_.process_options());
  ASSERT_EQ(ran.out, "ready\n") << ran.err;
  const std::string id = nlohmann::json::parse(read_text(sandbox_.home() + "/report"))
                             .at("review")
                             .at("id")
                             .get<std::string>();
  // A landing may be tried first; what was seen at the end of the run stays.
  for (int attempt = 0; attempt < 2; ++attempt) {
    const RunResult applied = ward({"apply", id});
    EXPECT_EQ(applied.status, 1);
    for (const char* name : {"/saved: ", "/edited: ", "/tree: ", "/tree/inner: "})
      EXPECT_THAT(applied.err, HasSubstr(name));
    EXPECT_THAT(applied.err, HasSubstr("the host may have deleted it"));
    EXPECT_THAT(applied.err, Not(HasSubstr("/quiet")));
    sandbox_.outside("touch quiet/later && rm quiet/later");
  }
  EXPECT_THAT(ward({"review", id, "--stat"}).out, HasSubstr("doubtful: the host may have"));
  EXPECT_EQ(ward({"apply", id, "--partly"}).status, 1);
  EXPECT_EQ(read_text(in_workspace("quiet/new")), "new\n");
  EXPECT_EQ(read_text(in_workspace("quiet/folder/new")), "new\n");
  for (const char* name : {"saved", "edited", "tree"}) EXPECT_FALSE(fs::exists(in_workspace(name)));
  // The control: a person may say so all the same.
  EXPECT_EQ(ward({"apply", id, "--allow-doubtful"}).status, 0);
  EXPECT_EQ(read_text(in_workspace("saved")), "inside\n");
  EXPECT_EQ(read_text(in_workspace("tree/inner")), "inside\n");
}

TEST_F(Review, WhatIsDeletedAfterAPartWasLandedIsAConflictStill) {
  REVIEW_NEEDS();
  for (const char* name : {"one", "two"}) sandbox_.workspace_file(name, "before\n");
  const std::string id = hold("echo inside > one; echo inside > two");
  EXPECT_EQ(ward({"apply", id, "one"}).status, 0);
  sandbox_.outside("rm two");
  const RunResult applied = ward({"apply", id});
  EXPECT_EQ(applied.status, 1);
  EXPECT_THAT(applied.err, HasSubstr("it was deleted on the host"));
  EXPECT_FALSE(fs::exists(in_workspace("two")));
}

TEST_F(Review, ALinkPlantedAtAParentIsNotFollowed) {
  REVIEW_NEEDS();
  std::string outside = sandbox_.home_file("other/file", "outside\n");
  sandbox_.workspace_file("folder/file", "before\n");
  std::string id = hold("echo evil > folder/file; ln -s ../other planted; ln -s /etc/passwd p");
  sandbox_.outside("rm -r folder; ln -s ../other folder");
  EXPECT_EQ(ward({"apply", id}).status, 1);
  EXPECT_EQ(read_text(outside), "outside\n");
  // A link itself lands as a link.
  RunResult applied = ward({"apply", id, "planted", "p"});
  EXPECT_EQ(applied.status, 0) << applied.err;
  EXPECT_EQ(fs::read_symlink(in_workspace("planted")), "../other");
  EXPECT_EQ(read_text(outside), "outside\n");
}

TEST_F(Review, SetIdBitsAreDroppedAndSpecialFilesRefused) {
  REVIEW_NEEDS();
  std::string id = hold("cp /bin/true t; chmod 755 t; mkfifo pipe; echo x > ok; ln ok hard");
  ASSERT_EQ(::chmod((held_folder(id) + "/0/upper/t").c_str(), 06755), 0);
  RunResult applied = ward({"apply", id, "--partly"});
  EXPECT_EQ(applied.status, 1);
  EXPECT_THAT(applied.err, HasSubstr("pipe: it is a FIFO"));
  struct stat status = {};
  ASSERT_EQ(::stat(in_workspace("t").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0755U);
  EXPECT_FALSE(fs::exists(in_workspace("pipe")));
  EXPECT_EQ(fs::hard_link_count(in_workspace("ok")), 1U) << "a hard link lands as a copy";
  EXPECT_EQ(read_text(in_workspace("hard")), "x\n");
}

TEST_F(Review, ForgedMarksOfTheOverlayChangeNothing) {
  REVIEW_NEEDS();
  NEEDS(tool("python3"));
  sandbox_.workspace_file("folder/kept", "kept\n");
  sandbox_.workspace_file("file", "kept\n");
  std::string id = hold(
      "python3 - <<'E'\n"
      "import os\n"
      "def forge(path, name, value):\n"
      "    try: os.setxattr(path, name, value)\n"
      "    except OSError as error: print(error.errno)\n"
      "forge('folder', 'user.overlay.opaque', b'y')\n"
      "forge('file', 'user.overlay.whiteout', b'y')\n"
      "forge('file', 'user.overlay.redirect', b'/etc/passwd')\n"
      "try: os.mknod('file2', 0o20000, os.makedev(0, 0))\n"
      "except OSError as error: print('mknod', error.errno)\n"
      "E\n"
      "echo new > folder/new");
  EXPECT_THAT(result_.out, HasSubstr("mknod"));
  RunResult applied = ward({"apply", id});
  EXPECT_EQ(applied.status, 0) << applied.err;
  EXPECT_EQ(read_text(in_workspace("folder/kept")), "kept\n");
  EXPECT_EQ(read_text(in_workspace("file")), "kept\n");
  EXPECT_EQ(read_text(in_workspace("folder/new")), "new\n");
}

TEST_F(Review, HostileNamesAndContentsAreShownEscaped) {
  REVIEW_NEEDS();
  NEEDS(tool("python3"));
  std::string id = hold(
      "python3 - <<'E'\n"
      "import os\n"
      "open(b'a\\n\\x1b[2Jforged', 'w').write('plain\\n')\n"
      "open(b'\\xff\\xfe', 'w').write('x')\n"
      "open(b'n' * 255, 'w').write('x')\n"
      "open('content', 'wb').write(b'\\x1b]0;title\\x07 \\xe2\\x80\\xae back\\n\\ttab \\\\ "
      "stays\\n')\n"
      "E\n");
  RunResult shown = ward({"review", id});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(shown.out, Not(HasSubstr("\xe2\x80\xae")));
  EXPECT_THAT(shown.out, HasSubstr("a\\n\\u{1b}[2Jforged"));
  EXPECT_THAT(shown.out, HasSubstr("\\xff\\xfe"));
  EXPECT_THAT(shown.out, HasSubstr("+\ttab \\ stays\n"));
  RunResult json = ward({"review", id, "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["changes"].size(), 4U);
  EXPECT_EQ(ward({"apply", id}).status, 0);
  EXPECT_TRUE(fs::exists(in_workspace(std::string(255, 'n'))));
  EXPECT_TRUE(fs::exists(in_workspace("\xff\xfe")));
}

TEST_F(Review, HugeAndDeepTreesAreBounded) {
  REVIEW_NEEDS();
  NEEDS(tool("python3"));
  std::string id = hold(
      "truncate -s 1T sparse; echo x > fine\n"
      "python3 - <<'E'\n"
      "import os\n"
      "for i in range(400): os.mkdir('d' * 20); os.chdir('d' * 20)\n"
      "open('bottom', 'w').write('x')\n"
      "E\n");
  RunResult shown = ward({"review", id, "--stat"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("1099511627776 bytes"));
  EXPECT_THAT(shown.out, HasSubstr("too deep"));
  EXPECT_EQ(ward({"apply", id}).status, 1);
  EXPECT_EQ(ward({"apply", id, "fine", "sparse"}).status, 0);
  struct stat status = {};
  ASSERT_EQ(::stat(in_workspace("sparse").c_str(), &status), 0);
  EXPECT_EQ(status.st_size, off_t{1} << 40U);
  EXPECT_LT(status.st_blocks, 100) << "holes stay holes";
  EXPECT_EQ(ward({"discard", id}).status, 0);
  EXPECT_FALSE(fs::exists(held_folder(id)));
}

TEST_F(Review, WhatANewRepositoryWouldExecuteIsNotLandedUnasked) {
  REVIEW_NEEDS();
  NEEDS(tool("git"));
  std::string id = hold(
      "git init -q new; git init -q plain; "
      "printf '#!/bin/sh\\n' > new/.git/hooks/post-checkout; "
      "git -C new config core.pager evil");
  RunResult applied = ward({"apply", id});
  EXPECT_EQ(applied.status, 1);
  EXPECT_THAT(applied.err, HasSubstr("post-checkout"));
  EXPECT_THAT(applied.err, HasSubstr("pager"));
  EXPECT_THAT(applied.err, Not(HasSubstr("plain/")));
  EXPECT_EQ(ward({"apply", id, "plain"}).status, 0);
  EXPECT_EQ(sandbox_.outside("git -C plain status").status, 0);
  EXPECT_EQ(ward({"apply", id, "--allow-executed"}).status, 0);
  EXPECT_TRUE(fs::exists(in_workspace("new/.git/hooks/post-checkout")));
}

TEST_F(Review, ANarrowerPolicyHoldsWhenTheChangesAreApplied) {
  REVIEW_NEEDS();
  sandbox_.set_policy("version: 1\nextends: workspace\n");
  std::string id = hold("echo x > a.lock; echo x > b");
  sandbox_.set_policy("version: 1\nextends: workspace\nfilesystem: {denyWrite: [\"**/*.lock\"]}\n");
  RunResult applied = ward({"apply", id});
  EXPECT_EQ(applied.status, 1);
  EXPECT_THAT(applied.err, HasSubstr("a.lock"));
  EXPECT_THAT(applied.err, HasSubstr("*.lock"));
  EXPECT_FALSE(fs::exists(in_workspace("b")));
}

}  // namespace
}  // namespace ward::test
