# posenc.3 from include/posenc.h: its comments are the text, and declarations stand before what is said of them.
#
#   awk -v version=1.0.0 -v see="posenc-table(1)" -f cmake/man3.awk include/posenc.h >posenc.3
#
# In a comment, lines that start where its text does are filled; "  name  text" explains a parameter; what is indented
# further, and does not go on about a parameter, stays as it is. POSIX awk, without {n,m} in patterns, which mawk lacks.

function escaped(s) {
  gsub(/\\/, "\\e", s)
  gsub(/-/, "\\-", s)
  gsub(/\^/, "\\(ha", s)
  gsub(/~/, "\\(ti", s)
  gsub(/'/, "\\(aq", s)
  return substr(s, 1, 1) == "." ? "\\&" s : s
}
function blanks(n,    s) {
  while (length(s) < n)
    s = s " "
  return s
}

# ---- comments ----

function text_line(s,    indent, name) {
  match(s, /^ */)
  indent = RLENGTH
  s = substr(s, indent + 1)
  if (s == "") {
    end_verbatim()
    item = 0
    print ".PP"
  } else if (indent >= 2 && match(s, /^[a-z_]+(, [a-z_]+)*  +/)) {
    end_verbatim()
    name = substr(s, 1, RLENGTH)
    sub(/ +$/, "", name)
    print ".TP\n.I " escaped(name) "\n" escaped(substr(s, RLENGTH + 1))
    item = 1
  } else if (indent >= 2 && !item) {
    if (!verbatim)
      print ".PP\n.EX"
    verbatim = 1
    print blanks(indent) escaped(s)
  } else {
    end_verbatim()
    if (indent == 0 && item)
      print ".PP"
    item = item && indent > 0
    s = escaped(s)
    gsub(/posenc_[a-z_]+\(\)/, "\\fB&\\fR", s)
    print s
  }
}
function end_verbatim() {
  if (verbatim)
    print ".EE\n.PP"
  verbatim = 0
}
function text(    i) { # the comment that was read
  if (n_text == 0)
    return
  print ".PP"
  for (i = 1; i <= n_text; i++)
    text_line(texts[i])
  end_verbatim()
  item = n_text = 0
}

# ---- declarations ----

# A line of a type's declaration as it is, but with what is too long of its comment on lines of its own.
function type_line(s,    at, n, words, i, line) {
  at = index(s, "/* ")
  if (length(s) <= 76 || at == 0) {
    print escaped(s)
    return
  }
  line = substr(s, 1, at - 1)
  n = split(substr(s, at), words, " ")
  for (i = 1; i <= n; i++) {
    if (i > 1 && length(line) + length(words[i]) > 76) {
      sub(/ $/, "", line)
      print escaped(line)
      line = blanks(at + 2)
    }
    line = line words[i] (i < n ? " " : "")
  }
  print escaped(line)
}
function function_line(s) { # filled: prototypes are as long as they are
  gsub(/  +/, " ", s)
  print ".HP 4\n.na\n\\fB" escaped(s) "\\fR\n.ad"
}
function declarations(    i, kind, s) {
  for (i = 1; i <= n_decl; i++) {
    if (kind == "") {
      kind = decl[i] ~ /^(typedef|#)/ ? "type" : "function"
      if (kind == "type")
        print ".PP\n.EX"
    }
    s = kind == "function" ? s (s == "" ? "" : " ") decl[i] : decl[i]
    if (kind == "type")
      type_line(s)
    if (kind == "type" && (decl[i] ~ /^}|^typedef [^{]*;/ || decl[i] ~ /^#/ && decl[i + 1] !~ /^#/)) {
      print ".EE"
      kind = s = ""
    } else if (kind == "function" && s ~ /;( *\/\*.*)?$/) {
      function_line(s)
      kind = s = ""
    }
  }
  n_decl = 0
}
function flush() {
  if (n_decl > 0) {
    declarations()
    print ".RS 4"
    text()
    print ".RE"
  } else
    text()
}

# ---- the header, line by line ----

/^#if/ { depth++; next }
/^#endif/ { depth--; next }
depth > 1 || /^#(include|define POSENC_H$)/ || /^}$/ { next }

/^\/\* posenc: / { # the first comment, and the beginning of the page
  sub(/^.*posenc: /, "")
  sub(/\.$/, "")
  print ".\\\" Made of include/posenc.h by cmake/man3.awk; do not edit."
  print ".TH posenc 3 \"\" \"posenc " version "\" posenc\n.nh\n.SH NAME\nposenc \\- " escaped($0)
  print ".SH SYNOPSIS\n.B #include <posenc.h>\n.PP\ncc ... $(pkg\\-config \\-\\-cflags \\-\\-libs posenc)\n.SH DESCRIPTION"
  inside = 1
  next
}
/^\/\* ---- / { # a heading
  flush()
  gsub(/^[^A-Za-z]*|[^A-Za-z]*$/, "")
  print ".SH " toupper($0)
  next
}
inside || /^\/\*/ {
  if (!inside)
    flush()
  inside = !sub(/ *\*\/$/, "")
  sub(/^(\/| )\* ?/, "")
  texts[++n_text] = $0
  next
}
/^$/ { flush(); next }
{
  sub(/^POSENC_API /, "")
  if (open_comment) {
    sub(/^ */, "")
    decl[n_decl] = decl[n_decl] " " $0
  } else
    decl[++n_decl] = $0
  open_comment = decl[n_decl] ~ /\/\*/ && $0 !~ /\*\//
}
END {
  flush()
  print ".SH SEE ALSO\n" see
}
