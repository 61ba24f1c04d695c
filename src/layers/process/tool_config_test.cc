// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/tool_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layers/process/jar_entry.h"

namespace ward::process {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ToolConfig, AServerIsReadFromEveryKindOfUrl) {
  using Row = std::pair<const char*, Server>;
  for (const auto& [url, server] :
       {Row{"https://Packages.Example/npm/", {"packages.example", 443}},
        Row{"http://packages.example", {"packages.example", 80}},
        Row{"sparse+https://index.example/", {"index.example", 443}},
        Row{"https://user:pw@packages.example:8443/x?y", {"packages.example", 8443}},
        Row{"ssh://git@git.example:2222/a/b", {"git.example", 2222}},
        Row{"git@git.example:a/b.git", {"git.example", 22}},
        Row{"git://git.example/a", {"git.example", 9418}},
        Row{"git+ssh://git@git.example/a", {"git.example", 22}},
        Row{"https://[fd00::1]:9/x", {"fd00::1", 9}}})
    EXPECT_EQ(server_of(url), server) << url;
  for (const char* url :
       {"", "/srv/git/a", "./a:b", "C:\\x", "file:///srv/packages", "https://", "https://*/",
        "https://*.example/", "https://a b/", "${REGISTRY}", "cdrom:[Disc]/"})
    EXPECT_FALSE(server_of(url)) << url;
}

TEST(ToolConfig, NpmNamesRegistriesAndThoseOfScopes) {
  const ToolConfig config = read_npmrc(
      "; registry=https://remark.example/\n"
      "registry = https://packages.example/npm/\r\n"
      "@own:registry=\"https://own.example\"\n"
      "//packages.example/:_authToken=abc\n"
      "proxy=http://proxy.example\n");
  EXPECT_THAT(config.urls, ElementsAre("https://packages.example/npm/", "https://own.example"));
  EXPECT_TRUE(config.replaces_default);
  EXPECT_FALSE(read_npmrc("@own:registry=https://own.example\n").replaces_default);
  EXPECT_THAT(
      npm_default(
          "x\n  registry: new Definition('registry', {\n    default: 'https://a.example/',"),
      ElementsAre("https://a.example/"));
  EXPECT_THAT(npm_default("nothing"), IsEmpty());
}

TEST(ToolConfig, PipNamesIndexesOverSeveralLines) {
  const ToolConfig config = read_pip_conf(
      "[global]\ntimeout = 60\nindex-url = https://a.example/simple\n"
      "extra-index-url =\n    https://b.example/simple\n    https://c.example/simple\n"
      "[install]\nfind_links = https://d.example\n");
  EXPECT_THAT(config.urls, ElementsAre("https://a.example/simple", "https://b.example/simple",
                                       "https://c.example/simple", "https://d.example"));
  EXPECT_TRUE(config.replaces_default);
  EXPECT_THAT(
      pip_default("X = PackageIndex(\"https://a.example/\", file_storage_domain=\"f.example\")\n"
                  "Y = PackageIndex(\"https://test.example/\")\n"),
      ElementsAre("https://a.example/", "https://f.example"));
}

TEST(ToolConfig, CargoNamesSourcesAndRegistries) {
  const ToolConfig config = read_cargo_config(
      "[build]\nrustflags = \"https://no.example\"\n"
      "[source.crates-io]\nreplace-with = \"mirror\"\n"
      "[source.mirror]\nregistry = \"sparse+https://mirror.example/index/\"  # ours\n"
      "[registries]\nown = { index = \"https://own.example/git/index\" }\n");
  EXPECT_THAT(config.urls,
              ElementsAre("sparse+https://mirror.example/index/", "https://own.example/git/index"));
  EXPECT_TRUE(config.replaces_default);
  EXPECT_THAT(cargo_default("\1xsparse+https://i\2sparse+https://index.example/then more"),
              ElementsAre("sparse+https://index.example/"));
  EXPECT_THAT(cargo_default("no such text"), IsEmpty());
}

TEST(ToolConfig, MavenNamesMirrorsAndRepositoriesOutsideOfRemarks) {
  const ToolConfig config = read_maven_settings(
      "<settings><!-- <mirror><url>https://remark.example</url></mirror> -->"
      "<mirrors><mirror><id>m</id><mirrorOf>external:*,!own</mirrorOf>\n<url> "
      "https://m.example/maven </url></mirror></mirrors>"
      "<repository><url>https://r.example</url></repository></settings>");
  EXPECT_THAT(config.urls, ElementsAre("https://m.example/maven", "https://r.example"));
  EXPECT_TRUE(config.replaces_default);
  EXPECT_FALSE(
      read_maven_settings("<mirror><mirrorOf>own</mirrorOf><url>https://m.example</url></mirror>")
          .replaces_default);
}

TEST(ToolConfig, AptNamesMirrorsInBothFormats) {
  EXPECT_THAT(
      read_apt_sources("# deb https://remark.example x main\n"
                       "deb [arch=amd64 signed-by=/k] https://m.example/debian stable main\n")
          .urls,
      ElementsAre("https://m.example/debian"));
  EXPECT_THAT(
      read_apt_sources("Types: deb\nURIs: http://a.example/x https://b.example/y\nSuites: s\n")
          .urls,
      ElementsAre("http://a.example/x", "https://b.example/y"));
}

TEST(ToolConfig, GitNamesRemotesReplacementsAndCredentials) {
  const ToolConfig config = read_git_config(
      "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@git.example:a/b.git\n"
      "\tpushurl = https://push.example/a\n[url \"https://base.example/\"]\n\tinsteadOf = x:\n"
      "[credential \"https://cred.example\"]\n\thelper = store\n[alias]\n\turl = "
      "https://no.example\n");
  EXPECT_THAT(config.urls, ElementsAre("git@git.example:a/b.git", "https://push.example/a",
                                       "https://base.example/", "https://cred.example"));
}

TEST(ToolConfig, GoNamesItsProxiesAndItsSumDatabase) {
  EXPECT_THAT(read_go_env("https://a.example/go,http://b.example|direct\nsum.example\n").urls,
              ElementsAre("https://a.example/go", "http://b.example", "https://sum.example"));
  EXPECT_THAT(read_go_env("direct\noff\n").urls, IsEmpty());
  EXPECT_THAT(read_go_env("off\nsum.example+key+AAA https://s.example/db\n").urls,
              ElementsAre("https://s.example/db"));
}

TEST(JarEntry, ADamagedArchiveIsAnError) {
  EXPECT_FALSE(jar_entry("", "a", 100));
  EXPECT_FALSE(jar_entry("PK\5\6", "a", 100));
  EXPECT_FALSE(jar_entry(
      std::string("PK\5\6\0\0\0\0\1\0\1\0\xff\xff\xff\xff\xff\xff\xff\xff\0\0", 22), "a", 100));
}

}  // namespace
}  // namespace ward::process
