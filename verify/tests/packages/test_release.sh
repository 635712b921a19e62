#!/usr/bin/env bash
# scripts/release in a repository made of this tree: what it refuses changes nothing; what a release changes, and its files.
#
#   test_release.sh SOURCE_DIR
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=Test GIT_COMMITTER_EMAIL=test@localhost
mkdir "$work/tree"
tar -C "$1" --exclude=./.git --exclude=./build --exclude=__pycache__ -cf - . | tar -C "$work/tree" -xf -
cd "$work/tree"
git init --quiet --initial-branch=main
commit() { git add --all && git commit --quiet --message "test: $1"; }
changelog() { printf '# Changes\n\n'; printf '## %s\n\n- A change.\n\n' "$@"; } >CHANGELOG.md
released="1.4.2 (2026-01-31)"
changelog "$released"
commit "as released"
git tag --annotate --message 'posenc 1.4.2' v1.4.2
changelog "1.5.0 (unreleased)" "$released"
commit "on the way to 1.5.0"
start=$(git rev-parse HEAD)

state() { git rev-parse HEAD; git symbolic-ref -q HEAD || true; git tag --list; git status --porcelain; git diff HEAD; }
refused() { # refused STATUS WORDS ARGUMENT...: that status, those words, nothing changed; the tree is put back afterwards
  local before status=0
  before=$(state)
  ./scripts/release "${@:3}" >"$work/said" 2>&1 || status=$?
  [[ $status == "$1" && $(state) == "$before" ]] && grep -qF -- "$2" "$work/said" ||
    { echo "release ${*:3}: status $status instead of $1, not said '$2', or something changed:"; cat "$work/said"; state; exit 1; }
  git checkout --quiet --force -B main "$start"
  git clean -fdq
}
for version in 1.5 v1.5.0 1.05.0 1.5.0-rc1 ""; do
  refused 2 "./scripts/release 1.2.3" "$version"
done
echo >new-file && refused 1 "?? new-file" 1.5.0
git checkout --quiet -b other && refused 1 "releases are made on main" 1.5.0
refused 1 "there is a tag v1.4.2 already" 1.4.2
refused 1 "1.3.9 is not larger than 1.4.2" 1.3.9
refused 1 "must begin with a section '## 1.6.0 (unreleased)'" 1.6.0
sed -i '/ posenc_fill;/d' cmake/posenc.map && commit "lost" && refused 1 "only a new major version may lose symbols: posenc_fill" 1.5.0
sed -i 's/^ *posenc_fill;/&\n  posenc_new;/' cmake/posenc.map && changelog "1.4.3 (unreleased)" "$released" && commit "new" &&
  refused 1 "added symbols need a new minor version at least: posenc_new" 1.4.3
refused 0 "1.5.0 can be released" 1.5.0 --dry-run

sed -i -E '/^POSENC_IMPL\(/ { /, any, libm,/!d }' impl/list.inc && commit "few implementations" # seconds to build
./scripts/release 1.5.0 >"$work/said" 2>"$work/log" || { cat "$work/log"; exit 1; }
grep -q 'git push --atomic origin main v1.5.0' "$work/said"
[[ $(git log -1 --format=%s) == "release: 1.5.0" && $(git rev-parse 'v1.5.0^{commit}') == "$(git rev-parse HEAD)" ]]
[[ $(git diff --name-only HEAD~1 | tr '\n' ' ') == "CHANGELOG.md include/posenc.h python/posenc/_library.py " ]]
grep -q '^#define POSENC_VERSION_STRING "1.5.0"$' include/posenc.h
cd build/release-1.5.0
sha256sum --quiet --check posenc-1.5.0.sha256
[[ $(wc -l <posenc-1.5.0.sha256) == 2 ]] # the archive, the single file
git -C ../.. -c tar.umask=0022 archive --format=tar --prefix=posenc-1.5.0/ v1.5.0 | gzip -n -9 | cmp - posenc-1.5.0.tar.gz
echo "ok: released 1.5.0"
