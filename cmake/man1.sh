#!/bin/sh
# Writes a tool's man page, which help2man makes of the tool's own --help and --version.
#
#   man1.sh HELP2MAN TOOL PAGE
set -eu
help2man=$1 tool=$2 page=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
LC_ALL=C.UTF-8
export LC_ALL

# The help without line breaks inside of sentences, and with headings as help2man knows them: of sections "Options:" or
# *Name*, of groups of options a line that starts at the margin and ends in a colon.
ARGP_HELP_FMT=header-col=0,rmargin=4000 "$tool" --help | awk '
  /^ +-|^[^ ].*:$/ && !options { options = 1; print "Options:\n" }
  /^  -[?], --help/ { print "About the tool:" }
  /^(Output|Exit status): / {
    colon = index($0, ":")
    print "\n*" substr($0, 1, colon - 1) "*\n"
    $0 = toupper(substr($0, colon + 2, 1)) substr($0, colon + 3)
  }
  { print }' >"$work/help"
"$tool" --version >"$work/version"

# The sentence behind the usage line, up to its first stop, says what the tool is.
name=$(sed -n '/^Usage: /{ n; s/[.:;,]\( .*\)\{0,1\}$//; p; q; }' "$work/help" |
  awk '{ print tolower(substr($0, 1, 1)) substr($0, 2) }')
read -r _ version <"$work/version"
cat >"$work/tool" <<'TOOL'
#!/bin/sh
exec cat "./${1#--}"
TOOL
chmod +x "$work/tool"
cd "$work" # which has no blanks, unlike a path to the tool perhaps
"$help2man" --no-info --section=1 --name="$name" --manual=posenc --source="posenc $version" --output=page ./tool
cat page >"$page"
