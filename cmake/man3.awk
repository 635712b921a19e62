# posenc.3 from include/posenc.h, in the header's own order: comments are the text, declarations are shown as they stand.
#
#   awk -v version=1.0.0 -v see="posenc-table(1)" -f cmake/man3.awk include/posenc.h >posenc.3
#
# In a comment, lines that start where its text does are filled, and what is indented further stays as it is.
# POSIX awk, without {n,m} in patterns, which mawk lacks.

function escaped(s) {
  gsub(/\\/, "\\e", s)
  gsub(/-/, "\\-", s)
  gsub(/\^/, "\\(ha", s)
  gsub(/~/, "\\(ti", s)
  gsub(/'/, "\\(aq", s)
  return substr(s, 1, 1) == "." ? "\\&" s : s
}
function verbatim(wanted) {
  if (wanted != is_verbatim)
    print wanted ? ".PP\n.EX" : ".EE\n.PP"
  is_verbatim = wanted
}

/^#if/ { depth++; next }
/^#endif/ { depth--; next }
depth > 1 || /^#(include|define POSENC_H$)/ { next }

/^\/\* posenc: / { # the first comment, and the beginning of the page
  gsub(/^.*posenc: |\.$/, "")
  print ".\\\" Made of include/posenc.h by cmake/man3.awk; do not edit."
  print ".TH posenc 3 \"\" \"posenc " version "\" posenc\n.nh\n.SH NAME\nposenc \\- " escaped($0)
  print ".SH SYNOPSIS\n.B #include <posenc.h>\n.PP\ncc ... $(pkg\\-config \\-\\-cflags \\-\\-libs posenc)\n.SH DESCRIPTION"
  in_comment = 1
  next
}
/^\/\* ---- / { # a heading
  gsub(/^[^A-Za-z]*|[^A-Za-z]*$/, "")
  verbatim(0)
  print ".SH " toupper($0)
  next
}
in_comment || /^\/\*/ {
  in_comment = !sub(/ *\*\/$/, "")
  sub(/^(\/| )\* ?/, "")
  verbatim(/^ /)
  $0 = escaped($0)
  if (!is_verbatim)
    gsub(/posenc_[a-z_]+\(\)/, "\\fB&\\fR")
  print $0 == "" ? ".PP" : $0
  next
}
/^$/ { verbatim(0); print ".PP"; next }
{
  sub(/^POSENC_API /, "")
  verbatim(1)
  print escaped($0)
}
END {
  verbatim(0)
  print ".SH SEE ALSO\n" see
}
