/*
 * Files that a program of the host runs or obeys, without being told to look at them: what a box
 * writes there acts outside of it as soon as somebody opens the directory, asks git, builds or
 * tests. A change that is reviewed names them first.
 */
#include "box/sync.h"

#include <fnmatch.h>
#include <string.h>
#include <strings.h>

struct risk {
	const char *names;	/* separated by blanks; one with "/" at its end is a directory */
	const char *why;
};

static const struct risk risks[] = {
	{ ".git/ .git .gitmodules .githooks/ .husky/ .pre-commit-config.yaml lefthook.yml .lefthook.yml "
	  ".gitattributes", "git and its hooks run it" },
	{ ".envrc .direnv/ .env.sh", "direnv runs it on entering the directory" },
	{ ".vscode/ .idea/ .fleet/ .zed/ .devcontainer/ .devcontainer.json .cursor/ *.code-workspace "
	  ".vs/ .theia/ .settings/ .nova/ .sublime/ *.sublime-project",
	  "an editor runs what it says" },
	{ ".claude/ .codex/ .gemini/ .mcp.json .aider.conf.yml .continue/ .windsurf/ CLAUDE.md AGENTS.md "
	  "GEMINI.md .cursorrules .windsurfrules", "an agent obeys it" },
	{ ".vimrc .exrc .nvimrc .nvim.lua .lvimrc .dir-locals.el .dir-locals-2.el .emacs .emacs.d/ "
	  ".projectile .gdbinit .lldbinit .inputrc .tmux.conf .screenrc",
	  "a program that is started here reads it and runs what it says" },
	{ ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile "
	  ".zlogin .zlogout .kshrc .cshrc .tcshrc .login .logout .config/ .ssh/ .local/ .gnupg/ "
	  ".gitconfig .xinitrc .xprofile .xsession .pam_environment .netrc",
	  "a home directory's: a login runs it" },
	{ ".github/ .gitlab-ci.yml .gitlab/ .circleci/ .travis.yml Jenkinsfile azure-pipelines.yml "
	  ".drone.yml .woodpecker.yml .buildkite/ bitbucket-pipelines.yml appveyor.yml",
	  "a build machine runs it" },
	{ "Makefile makefile GNUmakefile *.mk *.mak CMakeLists.txt *.cmake CMakePresets.json meson.build "
	  "meson_options.txt configure configure.ac Makefile.am autogen.sh SConstruct SConscript wscript "
	  "BUILD BUILD.bazel WORKSPACE MODULE.bazel .bazelrc *.bzl Justfile justfile .justfile "
	  "Taskfile.yml Taskfile.yaml Rakefile *.rake Tiltfile *.pro *.ninja", "a build runs it" },
	{ "package.json .npmrc .yarnrc .yarnrc.yml .yarn/ .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml "
	  "*.config.js *.config.cjs *.config.mjs *.config.ts .babelrc .babelrc.js .eslintrc.js "
	  ".eslintrc.cjs .prettierrc.js gulpfile.js Gruntfile.js deno.json binding.gyp",
	  "npm and its like run what it says" },
	{ "setup.py setup.cfg pyproject.toml conftest.py tox.ini noxfile.py tasks.py fabfile.py pytest.ini "
	  "sitecustomize.py usercustomize.py *.pth .pdbrc .pylintrc manage.py", "python and its tools run it" },
	{ "Cargo.toml build.rs .cargo/ rust-toolchain rust-toolchain.toml go.work Gemfile *.gemspec "
	  ".rspec .irbrc .pryrc build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradlew "
	  "gradle.properties gradle/ pom.xml mvnw .mvn/ build.xml build.sbt project/ mix.exs rebar.config "
	  "stack.yaml *.cabal composer.json *.csproj *.fsproj *.vbproj *.sln Directory.Build.props "
	  "Directory.Build.targets nuget.config .Rprofile", "a build tool runs what it says" },
	{ "Dockerfile Dockerfile.* Containerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml "
	  "docker-compose.*.yml Vagrantfile .dockerignore Procfile skaffold.yaml flake.nix shell.nix "
	  "default.nix .tool-versions mise.toml .mise.toml .asdfrc .sdkmanrc .nvmrc",
	  "a tool that makes environments runs what it says" },
	{ "*.desktop autorun.inf *.lnk *.url *.command *.workflow", "a desktop runs it when it is opened" },
};

static bool named(const char *names, const char *name, bool dir)
{
	char pattern[64];

	while (*names) {
		size_t n = strcspn(names, " ");
		bool folder = n && names[n - 1] == '/';

		if (n < sizeof(pattern) && (!folder || dir)) {
			memcpy(pattern, names, n);
			pattern[n - folder] = '\0';
			if (!fnmatch(pattern, name, FNM_CASEFOLD))
				return true;
		}
		names += n;
		names += strspn(names, " ");
	}
	return false;
}

/* The first six: obeyed by whoever enters or opens the directory, without a build. */
bool sync_obeyed(const char *name, bool dir)
{
	for (size_t i = 0; i < 6; i++)
		if (named(risks[i].names, name, dir))
			return true;
	return false;
}

static const char *by_name(const char *name, bool dir)
{
	for (size_t i = 0; i < sizeof(risks) / sizeof(*risks); i++)
		if (named(risks[i].names, name, dir))
			return risks[i].why;
	return NULL;
}

/* Whether the target, seen from the link's directory, is not below the tree's root. */
static bool leads_out(const char *path, const char *target)
{
	long depth = 0;

	if (*target == '/')
		return true;
	for (; *path; path++)
		depth += *path == '/';
	while (*target) {
		size_t n = strcspn(target, "/");

		if (n == 2 && target[0] == '.' && target[1] == '.')
			depth--;
		else if (n && !(n == 1 && *target == '.'))
			depth++;
		if (depth < 0)
			return true;
		target += n;
		target += strspn(target, "/");
	}
	return false;
}

const char *sync_runs(const struct sync_change *c, const char *link)
{
	const char *at = c->path, *why;
	char name[256];

	for (;;) {
		size_t n = strcspn(at, "/");
		bool last = !at[n];

		memcpy(name, at, n < sizeof(name) ? n : sizeof(name) - 1);
		name[n < sizeof(name) ? n : sizeof(name) - 1] = '\0';
		why = by_name(name, !last || c->node->kind == FT_DIR);
		if (why)
			return why;
		if (last)
			break;
		at += n + 1;
	}
	if (c->op == SYNC_REMOVE)
		return NULL;
	if (c->node->kind == FT_LINK && link && leads_out(c->path, link))
		return "the link leads out of the directory";
	if (c->node->kind == FT_FILE && c->node->mode & 0111)
		return "it can be run by its name";
	return NULL;
}
