#!/usr/bin/env bash
# ./scripts/maintain/setup with a fake apt-get: as root, with sudo, with neither, with nothing to install, and on a system without
# apt-get.
#
#   test_setup.sh SETUP
. "$(dirname "${BASH_SOURCE[0]}")/tool.sh"

mkdir bin
ln -s /usr/bin/* bin
rm -f bin/{apt-get,dpkg-query,id,sudo}
export PATH=$work/bin
made_up() { # made_up COMMAND LINE...: makes a fake command of these lines
  printf '%s\n' '#!/bin/sh' "${@:2}" >"bin/$1"
  chmod +x "bin/$1"
}
run venv
[[ $code == 0 && ! -s out ]] && grep -q 'this system has no apt-get; install what Debian calls python3-venv$' err || fail "the packages should be named"

made_up apt-get "echo \"by \${BY-root} \$*\" >>'$work/asked'"
made_up dpkg-query "echo installed git" "echo config-files python3-venv" "exit 1"
made_up id "echo 1000"
run venv
[[ $code == 1 && ! -e asked ]] && grep -q '^  apt-get update && apt-get install .* python3-venv$' err || fail "the command for root should be printed"
made_up sudo '[ "$1" != -n ] || shift' 'export BY=sudo' 'exec "$@"'
run venv
[[ $code == 0 ]] && grep -q '^by sudo .* install .* python3-venv$' asked || fail "sudo should install it"

rm bin/sudo asked
made_up id "echo 0"
run venv
[[ $code == 0 ]] && grep -q '^by root .* install .* python3-venv$' asked || fail "root should install it"
made_up apt-get "exit 100"
run venv
[[ $code == 1 ]] && grep -q '^setup: installing failed' err || fail "the failure should be reported"

made_up dpkg-query "echo installed python3-venv"
run venv
[[ $code == 0 && ! -s out && ! -s err ]] || fail "with nothing to install, nothing should be printed"
run nonsense
[[ $code == 2 ]] && grep -q "unknown group 'nonsense'" err || fail "an unknown group should be refused"
echo "ok: setup"
