# How a mutant is built, for test_mutants.sh: the object of one row, or those of the core, by the very commands of
# compile_commands.json, and a library with them in the place of its own.

[[ -f $build_dir/compile_commands.json ]] ||
  die "$build_dir has no compile_commands.json: configure with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
commands=$(sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$build_dir/compile_commands.json" | sed 's/\\\(["\\]\)/\1/g')
mapfile -t core_files < <(grep -v -- '-DPOSENC_NAME=' <<<"$commands" | sed -n "s|.* -c $source_dir/impl/||p")
cc=${commands%% *}
tool() { sed -n "s/^CMAKE_$1:FILEPATH=//p" "$build_dir/CMakeCache.txt"; } # of the build: it may be a cross build
ar=$(tool AR) objcopy=$(tool OBJCOPY)
dynamic=$(objdump -p "$build_dir/libposenc.so")
soname=$(awk '$1 == "SONAME" { print $2 }' <<<"$dynamic")
search=$(awk '$1 == "RUNPATH" { print $2 }' <<<"$dynamic"):$libraries
mapfile -t needed < <(tr : '\n' <<<"$search" | sed -n 's/^./-L&/p'
                      awk '$1 == "NEEDED" && $2 !~ /^(libc|ld-linux.*)\.so/ { print "-l:" $2 }' <<<"$dynamic")
# A row that is linked in front of these wins.
"$objcopy" --wildcard --weaken-symbol='posenc_kernel_*' "$build_dir/libposenc.a" "$work/rest.a"

defines= streamed=-DPOSENC_STREAM_BYTES=4096 # for mutants that small tables must reach
compile() { # compile DIR FILE TEXT: DIR/impl/FILE by the command that holds TEXT, into DIR/NAME.o, NAME the file's without folders
  local command
  command=$(grep -F -m1 -- "$3" <<<"$commands") || { echo "compile_commands.json does not have $2"; return 1; }
  command=${command%% -o *}
  (cd "$1" && eval "${command//"$source_dir/impl"/"$1/impl"} $defines -w -o ${2##*/}.o -c impl/$2")
}
row_object() { # row_object DIR IMPL FILE: the row, and FILE if that is a source too, as one object that defines the row
  local source=${file_of[$2]} objects=()
  objects=("$1/${source##*/}.o")
  compile "$1" "${file_of[$2]}" "-DPOSENC_NAME=$2 " || return 1
  if [[ $3 == *.c && $3 != "${file_of[$2]}" ]]; then
    compile "$1" "$3" " -c $source_dir/impl/$3" || return 1
    objects+=("$1/${3##*/}.o")
  fi
  mkdir -p "$1/own"
  "$cc" -nostdlib -r -o "$1/own/row_$2.o" "${objects[@]}" || return 1
  "$objcopy" --keep-global-symbol="posenc_kernel_$2" "$1/own/row_$2.o"
}
core_objects() { # core_objects DIR FILE: FILE, or all of the core if it is a header, instead of the library's own
  local file
  mkdir -p "$1/own"
  cp "$work/rest.a" "$1/rest.a"
  for file in "${core_files[@]}"; do
    [[ $2 != *.c || $file == "$2" ]] || continue
    compile "$1" "$file" " -c $source_dir/impl/$file" && mv "$1/${file##*/}.o" "$1/own" || return 1
    "$ar" d "$1/rest.a" "${file##*/}.o" || return 1
  done
}
build() { # build DIR FILE IMPL...: the library, with DIR's rows, or DIR's core, instead of its own
  local impl rest=$work/rest.a
  for impl in "${@:3}"; do
    if [[ $impl == core* ]]; then
      core_objects "$1" "$2" || return 1
    else
      row_object "$1" "$impl" "$2" || return 1
    fi
  done
  [[ ! -f $1/rest.a ]] || rest=$1/rest.a
  "$cc" -shared -Wl,-z,defs -Wl,-soname,"$soname" -Wl,--version-script="$source_dir/cmake/posenc.map" \
    -o "$1/$soname" "$1"/own/*.o -Wl,--whole-archive "$rest" -Wl,--no-whole-archive "${needed[@]}"
}
stands() { # stands FILE TEXT: once
  local text after
  text=$(<"$1")
  after=${text#*"$2"}
  [[ $after != "$text" ]] || { echo "BROKEN: the search text does not stand in ${1##*/}: $2"; return 1; }
  [[ $after != *"$2"* ]] || { echo "BROKEN: the search text stands in ${1##*/} more than once: $2"; return 1; }
}
patch() { # patch FILE SEARCH REPLACEMENT
  local text
  stands "$1" "$2" || return 1
  text=$(<"$1")
  printf '%s\n' "${text%%"$2"*}$3${text#*"$2"}" >"$1"
}
