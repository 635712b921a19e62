#!/usr/bin/env bash
# scripts/release in a repository made of this tree: what it refuses, and that it then leaves everything as it was; what a
# release changes; and its archive, which is built. First whether this tree itself is consistent.
#
#   test_release.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
command -v git >/dev/null || { echo "skipped: git is missing (Debian package git)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$source_dir/scripts/release" --check
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=Test GIT_COMMITTER_EMAIL=test@localhost
export CMAKE_BUILD_TYPE=Debug # what is tried here is the script: no need to optimise
mkdir "$work/tree"
tar -C "$source_dir" --exclude=./.git --exclude=./build --exclude=__pycache__ -cf - . | tar -C "$work/tree" -xf -
cd "$work/tree"
git init --quiet --initial-branch=main
commit() { git add --all && git commit --quiet --message "$1"; }
recorded_at() { sed -i -E "s/^( ?\"commit\": )\"[^\"]*\"/\1\"$1\"/" docs/recorded/*.json; } # all runs are of that commit

# The tree as it is, but for versions of its own: 1.4.2 is released, and 1.5.0 is being written.
set_header() { # set_header MAJOR MINOR PATCH
  sed -i -E "s/^(#define POSENC_VERSION_MAJOR ).*/\1$1/; s/^(#define POSENC_VERSION_MINOR ).*/\1$2/
    s/^(#define POSENC_VERSION_PATCH ).*/\1$3/; s/^(#define POSENC_VERSION_STRING ).*/\1\"$1.$2.$3\"/" include/posenc.h
  sed -i -E "s/^(VERSION = )\"[^\"]*\"/\1\"$1.$2.$3\"/; s/^(SONAME = ).*/\1\"libposenc.so.$1\"/" python/posenc/_library.py
}
set_changelog() { printf '# Changes\n\n'; printf '## %s\n\n- A change.\n\n' "$@"; } >CHANGELOG.md
symbols() { printf 'POSENC_1.0 {\nglobal:\n'; printf '  %s;\n' "$@"; printf 'local:\n  *;\n};\n'; } >cmake/posenc.map
symbols posenc_add posenc_fill
set_header 1 4 2
set_changelog "1.4.2 (2026-01-31)"
commit "test: as released"
git tag -a -m 'posenc 1.4.2' v1.4.2
set_changelog "1.5.0 (unreleased)" "1.4.2 (2026-01-31)"
commit "test: on the way to the next release"
recorded_at "$(git rev-parse --short=12 HEAD)"
commit "test: recorded"
start=$(git rev-parse HEAD)

state() { git rev-parse HEAD; git symbolic-ref -q HEAD || true; git tag --list; git status --porcelain --ignored; git diff HEAD; }
refused() { # refused STATUS WORDS ARGUMENT...: that status, those words, nothing changed; the tree is put back afterwards
  local wanted=$1 words=$2 before status=0
  shift 2
  before=$(state)
  ./scripts/release "$@" >"$work/said" 2>&1 || status=$?
  [[ $status == "$wanted" ]] || { echo "release $*: exit status $status instead of $wanted"; cat "$work/said"; exit 1; }
  grep -qF -- "$words" "$work/said" || { echo "release $*: not said: $words"; cat "$work/said"; exit 1; }
  [[ $(state) == "$before" ]] || { echo "release $*, refused ($words), has changed something"; state; exit 1; }
  echo "ok: refused: $(grep -F -m 1 -- "$words" "$work/said")"
  git checkout --quiet --force -B main "$start"
  git clean -fdq
}

for version in 1.5 v1.5.0 1.05.0 1.5.0-rc1 1.5.0.0 -1.5.0 ""; do
  refused 2 "error:" "$version"
done
refused 2 "either a VERSION or --check" --check 1.5.0
echo >>README.md && refused 1 "README.md" 1.5.0
echo >new-file && refused 1 "?? new-file" 1.5.0
git checkout --quiet -b other && refused 1 "this is other" 1.5.0
git checkout --quiet --detach && refused 1 "this is no branch" 1.5.0
git tag v1.5.0 HEAD~1 && refused 1 "there is a tag v1.5.0 already" 1.5.0
git tag -d v1.5.0 >/dev/null
refused 1 "there is a tag v1.4.2 already" 1.4.2
refused 1 "1.3.9 is not larger than 1.4.2" 1.3.9
refused 1 "a section '## 1.6.0 (unreleased)' at the top is needed" 1.6.0

# The same after a change that is committed.
after() { # after COMMAND... -- STATUS WORDS ARGUMENT...
  local change=()
  while [[ $1 != -- ]]; do
    change+=("$1")
    shift
  done
  "${change[@]}"
  commit "test: ${change[*]}"
  refused "${@:2}"
}
old="1.4.2 (2026-01-31)"
after sed -i '/VERSION_STRING/s/1.4.2/1.4.3/' include/posenc.h -- 1 "include/posenc.h gives the version as" 1.5.0
after sed -i '/VERSION_PATCH/d' include/posenc.h -- 1 "has 0 lines '#define POSENC_VERSION_PATCH ...'" 1.5.0
after sed -i 's/^VERSION = .*/VERSION = "1.4.1"/' python/posenc/_library.py -- 1 'py does not say VERSION = "1.4.2"' 1.5.0
after set_header 1 6 0 -- 1 "include/posenc.h says 1.6.0; by CHANGELOG.md's sections it may say 1.5.0 or 1.4.2" 1.5.0
after set_changelog "$old" -- 1 "a section '## 1.5.0 (unreleased)' at the top is needed" 1.5.0
after set_changelog "1.5.0 (unreleased)" "1.4.2 (unreleased)" -- 1 "1.4.2 is (unreleased), yet 1.5.0 stands above it" 1.5.0
after set_changelog "$old" "1.5.0 (unreleased)" -- 1 "1.4.2 stands above 1.5.0" 1.5.0
after set_changelog "1.5.0 (soon)" "$old" -- 1 "neither a date nor (unreleased)" 1.5.0
after set_changelog "1.5.0" "$old" -- 1 "'## 1.5.0' is no section of a release" 1.5.0
after set_changelog "1.4.2 (unreleased)" -- 1 "but there is a tag v1.4.2" --check
dated() { set_header 1 5 0 && set_changelog "1.5.0 (2026-02-28)" "$old"; }
after dated -- 1 "1.5.0 has been released already" 1.5.0

# What a version promises: symbols and bits.
lose() { symbols posenc_fill; }
move() { symbols posenc_fill && printf 'POSENC_1.1 {\nglobal:\n  posenc_add;\n} POSENC_1.0;\n' >>cmake/posenc.map; }
gain() { set_changelog "1.4.3 (unreleased)" "$old" && symbols posenc_add posenc_fill posenc_new; }
turn() { sed -i -E "0,/^POSENC_HASH\($1,/s/^(POSENC_HASH\($1,.*, )0x[0-9a-f]{16}/\10x0000000000000000/" verify/hashes.inc; }
turn_patch() { turn "$1" && set_changelog "1.4.3 (unreleased)" "$old"; }
after lose -- 1 "symbols lost since 1.4.2: posenc_add@POSENC_1.0; only a new major version" 1.5.0
after lose -- 1 "symbols lost since 1.4.2: posenc_add@POSENC_1.0" --check
after move -- 1 "symbols lost since 1.4.2: posenc_add@POSENC_1.0" 1.5.0
after gain -- 1 "symbols added since 1.4.2: posenc_new" 1.4.3
after turn exact -- 1 "bits of exact changed since 1.4.2" 1.5.0
after turn_patch anchored -- 1 "bits of anchored changed since 1.4.2" 1.4.3
allowed() { # allowed VERSION: --dry-run finds nothing to refuse, and changes nothing
  commit "test: $1"
  local before
  before=$(state)
  ./scripts/release "$1" --dry-run >"$work/said" 2>&1 || { echo "release $1 --dry-run failed:"; cat "$work/said"; exit 1; }
  grep -qF "Would set include/posenc.h and python/posenc/_library.py to $1" "$work/said" && [[ $(state) == "$before" ]] ||
    { echo "release $1 --dry-run has said or changed this:"; cat "$work/said"; state; exit 1; }
  echo "ok: allowed: $1"
  git reset --quiet --hard "$start"
}
lose && set_changelog "2.0.0 (unreleased)" "$old" && allowed 2.0.0
turn anchored && symbols posenc_add posenc_fill posenc_new && allowed 1.5.0
set_changelog "1.4.3 (unreleased)" "$old" && allowed 1.4.3

# Recorded runs that say nothing of what would be released.
none() { recorded_at unknown; }
changed() { sed -i -E "s/^( ?\"commit\": \"[0-9a-f]*)\"/\1, with changes\"/" docs/recorded/peers.json; }
foreign() { recorded_at 0123456789ab; }
newer() { echo >>impl/exact.c; }
after none -- 1 "docs/recorded/bench.json is a run of 'unknown'; one of a commit is needed" 1.5.0
after changed -- 1 "docs/recorded/peers.json is a run of '$(git rev-parse --short=12 HEAD~1), with changes'" 1.5.0
after foreign -- 1 "docs/recorded/verify.json is a run of 0123456789ab, which is no commit that leads to this one" 1.5.0
after newer -- 1 "impl/ has changed since, last by" 1.5.0
newer
commit "test: newer"
./scripts/release --check >"$work/said" && grep -q 'before a release: docs/recorded/verify.json is a run of .*impl/ has changed' "$work/said" ||
  { echo "release --check has not said which runs are too old:"; cat "$work/said"; exit 1; }
git reset --quiet --hard "$start"

# A release that fails when it is tried, or at its very last step.
committed() { commit "test: $1" && recorded_at "$(git rev-parse --short=12 HEAD)"; } # for a change of impl/
scalar_only() { sed -i -E '/^POSENC_IMPL\(/ { /, any, libm,/!d }' impl/list.inc && committed "few implementations"; } # seconds to build
broken() { scalar_only && echo 'message(FATAL_ERROR "broken")' >>CMakeLists.txt; }
other_soname() { scalar_only && sed -i 's/SOVERSION [^)]*)/SOVERSION 7)/' CMakeLists.txt; }
other_version() { sed -i 's/return POSENC_VERSION_STRING/return "1.4.2"/' impl/*.c && scalar_only; }
after broken -- 1 "broken" 1.5.0
after other_soname -- 1 "SONAME is not libposenc.so.1" 1.5.0
after other_version -- 1 "said '1.5.0 1.4.2 0 1 0 1'" 1.5.0
scalar_only
commit "test: recorded"
start=$(git rev-parse HEAD)
touch .git/refs/heads/main.lock
before=$(state)
! ./scripts/release 1.5.0 >"$work/said" 2>&1 && [[ $(state) == "$before" && ! $(find build -type f) ]] ||
  { echo "a branch that could not be moved left:"; cat "$work/said"; state; exit 1; }
rm .git/refs/heads/main.lock
echo "ok: nothing is left of a release whose branch could not be moved"

# A release.
./scripts/release 1.5.0 >"$work/said"
expect() { # expect WHAT GOT WANTED
  [[ $2 == "$3" ]] || { echo "$1 is '$2' instead of '$3'"; exit 1; }
}
expect "the commit" "$(git log -1 --format='%s, %P')" "release: 1.5.0, $start"
expect "the branch" "$(git symbolic-ref --short HEAD)" main
expect "the tag" "$(git cat-file -t v1.5.0) $(git rev-parse 'v1.5.0^{commit}')" "tag $(git rev-parse HEAD)"
expect "the tree" "$(git status --porcelain)" ""
expect "what changed" "$(git diff --stat=200 HEAD~1 | tail -n 1 | tr -s ' ')" " 3 files changed, 5 insertions(+), 5 deletions(-)"
expect "the header" "$(sed -n 's/^#define POSENC_VERSION_[A-Z]* //p' include/posenc.h | tr '\n' ' ')" '1 5 0 "1.5.0" '
expect "the Python package" "$(sed -n '/^VERSION/p; /^SONAME/p' python/posenc/_library.py | tr '\n' ' ')" \
  'VERSION = "1.5.0"  # of include/posenc.h; a test compares them SONAME = "libposenc.so.1" '
expect "the change log" "$(grep '^##' CHANGELOG.md | sed -n 1p)" "## 1.5.0 ($(TZ=UTC git log -1 --format=%cd --date=short-local))"
(cd build && sha256sum --quiet --check posenc-1.5.0.sha256)
git -c tar.umask=0022 archive --format=tar --prefix=posenc-1.5.0/ v1.5.0 | gzip -n -9 | cmp - build/posenc-1.5.0.tar.gz
expect "unpacked files that the tag does not have, and the other way round" \
  "$(tar -tzf build/posenc-1.5.0.tar.gz | sed -n "s,^posenc-1.5.0/\(.*[^/]\)\$,\1,p" | sort)" \
  "$(git ls-tree -r --name-only v1.5.0 | sort)"
if [[ -e scripts/amalgamate ]]; then
  expect "the single file" "$(tar -tzf build/posenc-1.5.0-single.tar.gz | sort | tr '\n' ' ')" \
    "posenc-1.5.0-single/LICENSE posenc-1.5.0-single/posenc.c posenc-1.5.0-single/posenc.h "
  expect "checksums" "$(wc -l <build/posenc-1.5.0.sha256)" 2
fi
grep -q 'git push --atomic origin main v1.5.0' "$work/said"
./scripts/release --check >"$work/said"
! grep 'before a release' "$work/said"
refused 1 "there is a tag v1.5.0 already" 1.5.0
tar -C "$work" -xzf build/posenc-1.5.0.tar.gz # an archive can be checked, but not released
"$work/posenc-1.5.0/scripts/release" --check | grep -q 'no git here'
! "$work/posenc-1.5.0/scripts/release" 1.6.0 2>"$work/said" && grep -q 'is no git repository' "$work/said"
echo "ok: released 1.5.0 and tried its archive"
