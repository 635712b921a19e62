#!/usr/bin/env bash
# ./scripts/maintain/setup on a system without apt-get and dpkg: what is there is found by using it, and what is not is named.
#
#   test_setup.sh SETUP
. "$(dirname "${BASH_SOURCE[0]}")/tool.sh"

mkdir bin broken
ln -s /usr/bin/* bin
rm -f bin/apt-get bin/dpkg-query
export PATH=$work/bin
run bench report
[[ $code == 0 && ! -s out && ! -s err ]] || fail "everything should be found"

echo 'raise ImportError' >broken/jinja2.py
PYTHONPATH=$work/broken run report
[[ $code == 1 ]] && grep -q 'Missing.*: python3-jinja2$' err || fail "a module that cannot be imported should be named"

rm bin/cc
printf '#!/bin/sh\nexit 1\n' >bin/cc
chmod +x bin/cc
run build
[[ $code == 1 ]] && grep -q 'Missing.*: libc6-dev$' err || fail "a compiler without headers should be named"
run nonsense
[[ $code == 2 ]] && grep -q "unknown group 'nonsense'" err || fail "an unknown group should be refused"
echo "ok: setup"
